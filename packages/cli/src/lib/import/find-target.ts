import { Document, type Json, toJson } from '../client/document.ts'
import { CliError } from '../errors/cli-error.ts'
import { suggestName } from '../errors/suggest-name.ts'
import { type Field, listFields } from './fields.ts'

/** The route that creates the documents. */
export interface Target {
  readonly path: string
  /** The path of the route, with `{name}` for parameters. */
  readonly pattern: string
  /** Media type of the request. */
  readonly type: string
  readonly fields: readonly Field[]
  /** Fields of the response that a request does not have. */
  readonly ofService: ReadonlySet<string>
}

// Finds a route by the name of its resource, or by its path.
export function findTarget(name: string, openapi: unknown): Target {
  const document = new Document(toJson(openapi))
  const paths = Object.entries(toJson(document.root['paths']))
    .filter(([, item]) => 'post' in toJson(item))
    .map(([path]) => path)
  const pattern = name.startsWith('/') ? findPath(name, paths) : findResource(name, paths)
  const operation = toJson(toJson(toJson(document.root['paths'])[pattern])['post'])
  const content = toJson(document.resolve(operation['requestBody'])['content'])
  const type = Object.keys(content).find((one) => /[/+]json\b/.test(one))
  if (type === undefined) {
    throw new CliError('USAGE', `POST ${pattern} takes no JSON, so it cannot import documents`)
  }
  const fields = listFields(toJson(content[type])['schema'], document)
  const names = new Set(fields.map((field) => field.name))
  const sent = listResponse(document, operation).filter((field) => !names.has(field))
  return {
    path: name.startsWith('/') ? name : pattern,
    pattern,
    type,
    fields,
    ofService: new Set(sent),
  }
}

function findPath(path: string, patterns: readonly string[]): string {
  const segments = path.split('/')
  const found = patterns.find((pattern) => {
    const parts = pattern.split('/')
    return (
      parts.length === segments.length &&
      parts.every(
        (part, index) =>
          part === segments[index] || (/^\{.+\}$/.test(part) && segments[index] !== ''),
      )
    )
  })
  if (found !== undefined && !/[{}?#\s]/.test(path)) return found
  throw new CliError('UNKNOWN_RESOURCE', `there is no route POST ${path}`, {
    hint: suggestName(path, patterns),
  })
}

function findResource(name: string, patterns: readonly string[]): string {
  const found = patterns.filter((pattern) => pattern.endsWith(`/${name}`))
  const direct = found.filter((pattern) => !pattern.includes('{'))
  const [only] = direct.length > 0 ? direct : found
  if (only === undefined) {
    const names = patterns.map((pattern) => pattern.slice(pattern.lastIndexOf('/') + 1))
    throw new CliError('UNKNOWN_RESOURCE', `no route creates documents of "${name}"`, {
      hint: suggestName(
        name,
        names.filter((one) => !one.includes('{')),
      ),
    })
  }
  if (direct.length === 1) return only
  const reason =
    direct.length > 1 ? 'several routes create' : 'the path of the route names a parent of'
  throw new CliError('USAGE', `${reason} documents of "${name}"`, {
    details: found.map((pattern) => `  ${pattern}`),
    hint: `pass the path instead of the name: ${only.replaceAll(/\{[^}]+\}/g, '<id>')}`,
  })
}

// Fields of the created document; none if the response is not in the usual envelope.
function listResponse(document: Document, operation: Json): readonly string[] {
  const responses = toJson(operation['responses'])
  const status = Object.keys(responses).find((one) => one.startsWith('2')) ?? ''
  const content = toJson(document.resolve(responses[status])['content'])
  const schema = document.resolve(toJson(content['application/json'])['schema'])
  return listFields(toJson(schema['properties'])['data'], document).map(({ name }) => name)
}
