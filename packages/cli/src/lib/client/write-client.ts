import { importStatement } from '../code/import-statement.ts'
import { key, text } from '../code/literals.ts'
import { CliError } from '../errors/cli-error.ts'
import { attempt, Document, isJson, type Omission, toJson } from './document.ts'
import { writeFailures } from './failure-groups.ts'
import { findPathFault, readOperations } from './read-operations.ts'
import { SchemaTypes } from './schema-types.ts'
import { TypeNames } from './type-names.ts'
import { type MethodContext, writeMethod, type WrittenMethod } from './write-method.ts'

export interface WrittenClient {
  /** The file, not formatted. */
  readonly text: string
  /** What the client cannot do. */
  readonly omissions: readonly Omission[]
  readonly operations: number
}

export function writeClient(root: unknown, command: string): WrittenClient {
  const document = new Document(requireDocument(root))
  const { operations, omissions: unreadable } = readOperations(document)
  const omissions = [...unreadable]
  const names = new TypeNames()
  const types = new SchemaTypes(document, names)
  const documents = new Map<string, string>()
  const context: MethodContext = {
    document,
    types,
    documents,
    claim: (name) => names.claim(name),
    omit: (omission) => omissions.push(omission),
  }
  const written: WrittenMethod[] = []
  // Those that read first, because a 412 contains what they return.
  const ordered = operations.toSorted(
    (a, b) => Number(a.method !== 'GET') - Number(b.method !== 'GET'),
  )
  for (const operation of ordered) {
    attempt(`${operation.method} ${operation.path}`, omissions, () => {
      const method = types.attempt(() => writeMethod(operation, context))
      if (operation.method === 'GET') documents.set(operation.path, method.returns)
      written.push(method)
    })
  }
  const methods = operations.flatMap((one) => written.filter(({ operation }) => operation === one))
  const file = toFile({ methods, types, names, authPath: findAuthPath(document), command })
  return { text: file, omissions, operations: methods.length }
}

function requireDocument(root: unknown): Readonly<Record<string, unknown>> {
  const version = isJson(root) ? root['openapi'] : undefined
  if (isJson(root) && typeof version === 'string' && /^3\.[01]\./.test(version)) return root
  throw new CliError(
    'INVALID_DOCUMENT',
    typeof version === 'string'
      ? `the document is OpenAPI ${version}; clients are generated from OpenAPI 3.0 and 3.1`
      : 'this is not an OpenAPI 3.0 or 3.1 document: it has no member "openapi"',
  )
}

const defaultAuthPath = '/api/v1/auth'

function findAuthPath(document: Document): string | undefined {
  const paths = Object.entries(toJson(document.root['paths']))
  const [path] = paths.find(([name, item]) => {
    const { post } = toJson(item)
    return toJson(post)['operationId'] === 'refreshToken' && findPathFault(name) === undefined
  }) ?? ['']
  const auth = path.replace(/\/refresh-token$/, '')
  return auth === path || auth === defaultAuthPath ? undefined : auth
}

interface Parts {
  readonly methods: readonly WrittenMethod[]
  readonly types: SchemaTypes
  readonly names: TypeNames
  readonly authPath: string | undefined
  readonly command: string
}

function toFile({ authPath, command, methods, names, types }: Parts): string {
  const resources = new Map<string, WrittenMethod[]>()
  for (const method of methods) {
    const list = resources.get(method.operation.resource) ?? []
    resources.set(method.operation.resource, [...list, method])
  }
  const interfaces = Array.from(resources, ([resource, list]) => ({
    resource,
    list,
    name: names.claim(`${resource}Client`),
  }))
  const given = authPath === undefined ? 'options' : `{ authPath: ${text(authPath)}, ...options }`
  const body = [
    ...types.declarations,
    ...writeFailures(methods),
    ...interfaces.map(
      ({ list, name }) =>
        `export interface ${name} {\n${list.map(({ signatures }) => signatures).join('\n\n')}\n}`,
    ),
    `export interface Client extends ApiClient {\n${interfaces.map(({ name, resource }) => `readonly ${key(resource)}: ${name}`).join('\n')}\n}`,
    `const operations = {\n${interfaces.map(({ list, resource }) => `${key(resource)}: {\n${list.map(({ entry }) => entry).join(',\n')}\n}`).join(',\n')}\n} as const satisfies Operations`,
    `/**\n * Creates a client of the API.\n * @param options - URL, session, retries and hooks\n * @returns the client\n */\nexport function createClient(options: ClientOptions): Client {\n  return createApiClient<Client>(operations, ${given})\n}`,
  ].join('\n\n')
  return `// Written by \`${command}\` from the OpenAPI document. Do not edit: run it again.\n${toImports(body)}\n\n${body}\n`
}

const imports = [
  'type ApiClient',
  'type Call',
  'type CallOptions',
  'type ClientOptions',
  'createApiClient',
  'type EachOptions',
  'type EachQuery',
  'type ErrorItem',
  'type Failure',
  'form',
  'type Operations',
  'type PreconditionFailure',
  'readEvents',
  'type ServerEvent',
]

const liveImports = ['type ListChange', 'readChanges']

function toImports(body: string): string {
  const isUsed: Readonly<Record<string, RegExp>> = {
    form: /body: form[,\s}]/,
    readChanges: /events: readChanges/,
    readEvents: /events: readEvents/,
  }
  const code = body.replaceAll(/\/\*[^]*?\*\/|"(?:\\.|[^"\\])*"/g, '')
  const isNeeded = (name: string): boolean => {
    const word = name.replace('type ', '')
    return (isUsed[word] ?? new RegExp(`\\b${word}\\b`)).test(code)
  }
  const toStatement = (names: readonly string[], from: string): string =>
    importStatement(`{ ${names.filter(isNeeded).join(', ')} }`, from)
  const live = liveImports.some(isNeeded)
    ? [toStatement(liveImports, '@create-api/client/live')]
    : []
  return [toStatement(imports, '@create-api/client'), ...live].join('\n')
}
