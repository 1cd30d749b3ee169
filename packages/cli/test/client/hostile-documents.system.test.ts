import { type Node, type Statement } from '@babel/types'
import { nat, record, sample } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeClient, type WrittenClient } from '../../src/lib/client/write-client.ts'
import { parseCode } from '../../src/lib/code/parse-code.ts'
import { toJavaScript } from '../../src/lib/code/to-javascript.ts'
import { CliError } from '../../src/lib/errors/cli-error.ts'
import { createEdits } from '../hostile-edits.ts'
import { toHarmless } from '../hostile-texts.ts'
import { toShape, walk } from '../syntax-shape.ts'

// With another seed: HOSTILE_SEED=2 FULL_TESTS=1 npx vitest run packages/cli/test/client/hostile-documents.system.test.ts
const runs = Number(process.env['HOSTILE_RUNS'] ?? 3000)
const seed = Number(process.env['HOSTILE_SEED'] ?? 1)

const command = 'npx create-api client'

const text = { type: 'string', description: 'Some text' }

const problems = (...codes: string[]) => ({
  description: 'Failed',
  content: {
    'application/problem+json': {
      schema: { type: 'object', required: ['code'], properties: { code: { enum: codes } } },
    },
  },
})

const responses = {
  401: problems('unauthenticated', 'token_expired'),
  404: problems('not_found'),
  412: problems('precondition_failed'),
  422: problems('validation_failed'),
  default: problems('broken'),
}

const toResult = (schema: object, type = 'application/json') => ({
  200: { description: 'OK', content: { [type]: { schema } } },
  ...responses,
})

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

// Has every part of a document that the client is written from.
const document = {
  openapi: '3.1.0',
  security: [{ bearer: [] }],
  paths: {
    '/api/posts': {
      get: {
        operationId: 'listPosts',
        summary: 'List posts',
        tags: ['posts'],
        parameters: [
          { in: 'query', name: 'cursor', description: 'Where to begin', schema: text },
          { in: 'query', name: 'status', required: true, schema: { enum: ['draft', 'public'] } },
          { in: 'header', name: 'Idempotency-Key', schema: text },
          { in: 'cookie', name: 'theme', schema: text },
        ],
        responses: toResult({
          type: 'object',
          required: ['data', 'meta'],
          properties: {
            data: { type: 'array', items: reference('Post') },
            meta: { type: 'object', properties: { nextCursor: text } },
          },
        }),
      },
      post: {
        operationId: 'createPost',
        tags: ['posts'],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: reference('Post') } },
        },
        responses: toResult({
          type: 'object',
          required: ['data'],
          properties: { data: reference('Post') },
        }),
      },
    },
    '/api/posts/{postId}/comments/{id}': {
      parameters: [{ in: 'path', name: 'postId', required: true, schema: { type: 'integer' } }],
      get: {
        operationId: 'comments/get-one',
        description: 'Get',
        tags: ['comments'],
        responses: toResult(reference('Tree')),
      },
      put: {
        deprecated: true,
        requestBody: { $ref: '#/components/requestBodies/Comment' },
        responses: toResult(reference('Both')),
      },
      delete: { responses: { 204: { description: 'Gone' }, ...responses } },
      head: {},
    },
    '/files': {
      post: {
        operationId: 'upload',
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: { file: { type: 'string', format: 'binary' } },
              },
            },
          },
        },
        responses: toResult({}, 'text/event-stream'),
      },
      get: { operationId: 'download', responses: toResult({}, 'application/x-ndjson') },
      patch: {
        operationId: 'form',
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: { type: 'object', properties: { name: text } },
            },
          },
        },
        responses: toResult({}, 'text/plain'),
      },
    },
    '/id/refresh-token': { post: { operationId: 'refreshToken', responses } },
  },
  components: {
    requestBodies: {
      Comment: {
        content: {
          'application/merge-patch+json': {
            schema: { type: 'object', properties: { body: text } },
          },
        },
      },
    },
    schemas: {
      Post: {
        type: 'object',
        description: 'A post',
        required: ['id'],
        properties: {
          id: text,
          title: { ...text, nullable: true, deprecated: true },
          kind: { const: 'post' },
          state: { enum: ['draft', 1, true, null] },
          size: { type: ['number', 'null'] },
          tags: { type: 'array', items: text },
          point: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }] },
          more: { type: 'object', additionalProperties: { type: 'boolean' } },
        },
      },
      Tree: {
        type: 'object',
        properties: { children: { type: 'array', items: reference('Tree') } },
      },
      Both: { allOf: [reference('Post'), { oneOf: [reference('Tree'), text] }, { anyOf: [text] }] },
    },
  },
}

// Values of other kinds, and references to anywhere.
const others: readonly unknown[] = [
  null,
  true,
  -1,
  Infinity,
  '',
  [],
  {},
  [[]],
  { $ref: '#' },
  { $ref: '#/paths' },
  { $ref: '#/components/schemas/Both' },
  { $ref: '#/components/schemas/Post/properties/title' },
  { $ref: '#/__proto__' },
  { $ref: '#/constructor' },
  { $ref: '#/%' },
  { $ref: 'https://example.org/a.json' },
  { allOf: [{ $ref: '#/components/schemas/Tree' }] },
  { properties: JSON.parse('{"__proto__":{"type":"string"}}') },
]

const { apply, edits, places } = createEdits(document, others)

function write(root: unknown): WrittenClient | CliError {
  try {
    return writeClient(root, command)
  } catch (error) {
    if (error instanceof CliError) return error
    throw error
  }
}

const allowedNames = new Set(
  'Blob AsyncGenerator AsyncIterable ReadableStream Uint8Array Record true undefined const'.split(
    ' ',
  ),
)

// What a client may consist of: imports of one package, types, one table of plain values, and one function.
async function findForeignCode(source: string): Promise<readonly string[]> {
  const { program } = await parseCode(source)
  const declared = new Set(allowedNames)
  walk(program, (node) => {
    if (node.type === 'ImportSpecifier') declared.add(node.local.name)
    if (node.type === 'TSInterfaceDeclaration' || node.type === 'TSTypeAliasDeclaration')
      declared.add(node.id.name)
  })
  const faults = program.directives.map(({ type }) => type as string)
  for (const statement of program.body) faults.push(...findFaults(statement, declared))
  return faults
}

function findFaults(statement: Statement, declared: ReadonlySet<string>): readonly string[] {
  const faults: string[] = []
  const inner = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
  if (inner?.type === 'ImportDeclaration')
    return inner.source.value === '@create-api/client' ? [] : ['another import']
  if (inner?.type === 'TSInterfaceDeclaration' || inner?.type === 'TSTypeAliasDeclaration') {
    walk(inner, (node) => {
      if (
        node.type === 'TSTypeReference' &&
        node.typeName.type === 'Identifier' &&
        !declared.has(node.typeName.name)
      )
        faults.push(`the type ${node.typeName.name} is not declared`)
      if (!isOfTypes(node)) faults.push(`a type contains ${node.type}`)
    })
    return faults
  }
  if (inner?.type === 'VariableDeclaration') {
    walk(inner, (node) => {
      if (!isOfTable(node)) faults.push(`the table contains ${node.type}`)
    })
    return faults
  }
  return inner?.type === 'FunctionDeclaration' ? [] : [`a statement is ${String(inner?.type)}`]
}

function isOfTypes(node: Node): boolean {
  return (
    /^(TS|(Identifier|StringLiteral|NumericLiteral|BooleanLiteral|UnaryExpression|TemplateElement|TemplateLiteral)$)/.test(
      node.type,
    ) && !('computed' in node && node.computed === true)
  )
}

function isOfTable(node: Node): boolean {
  if (node.type === 'Identifier') return true
  return (
    /^(VariableDeclarat(ion|or)|ObjectExpression|ObjectProperty|StringLiteral|BooleanLiteral|TSAsExpression|TSSatisfiesExpression|TSTypeReference)$/.test(
      node.type,
    ) && !('computed' in node && node.computed === true)
  )
}

// The function that creates the client, without the path of authentication.
async function readFunction(source: string): Promise<string> {
  const { program } = await parseCode(source)
  const last = program.body.at(-1)
  return source
    .slice(last?.start ?? 0, last?.end ?? 0)
    .replace(/\{ authPath: "(?:\\.|[^"\\])*", \.\.\.options \}/, 'options')
}

const ownFunction = `export function createClient(options: ClientOptions): Client {
  return createApiClient<Client>(operations, options)
}`

describe('GEN-13 hostile documents', () => {
  it(`write clients without foreign code: ${runs}`, async () => {
    const cases = sample(record({ first: edits, second: edits, both: nat(2) }), {
      seed,
      numRuns: runs,
    })
    const faults: unknown[] = []
    let compared = 0
    for (const { both, first, second } of cases) {
      const list = both === 0 ? [first, second] : [first]
      const result = write(list.reduce<unknown>((root, one) => apply(root, one, String), document))
      if (result instanceof CliError) continue
      const report = (fault: unknown): unknown =>
        faults.push([fault, ...list.map((one) => ({ ...one, at: places[one.place] }))])
      // In JavaScript, the types are comments.
      const foreign = await Promise.all([
        findForeignCode(result.text),
        toJavaScript(result.text).then(findForeignCode),
      ]).catch((error: unknown) => [[String(error)]])
      if (foreign.flat().length > 0) report(foreign)
      else if ((await readFunction(result.text)) !== ownFunction) report('another function')
      const harmless = write(
        list.reduce<unknown>((root, one) => apply(root, one, toHarmless), document),
      )
      // A path can be refused for what it contains.
      if (harmless instanceof CliError || harmless.operations !== result.operations) continue
      compared += 1
      if (toShape(result.text) !== toShape(harmless.text)) report('another shape')
      if (faults.length > 4) break
    }
    expect(faults).toEqual([])
    expect(compared).toBeGreaterThan(runs * 0.8)
  }, 1_200_000)
})
