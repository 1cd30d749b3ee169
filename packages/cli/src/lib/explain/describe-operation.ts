import * as z from 'zod/mini'

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly type: string
  readonly description?: string | undefined
}

export interface OperationFacts {
  readonly operationId: string
  readonly summary?: string | undefined
  readonly description?: string | undefined
  readonly parameters: readonly Parameter[]
  readonly body?: Body | undefined
  readonly responses: readonly { readonly status: number; readonly type: string }[]
  readonly errors: readonly { readonly status: number; readonly codes: readonly string[] }[]
}

interface Body {
  readonly mediaTypes: readonly string[]
  readonly type: string
}

// What a caller of an operation has to know, with schemas in the notation of types.
export function describeOperation(operation: unknown, openapi: unknown): OperationFacts {
  const document = z.parse(schemaShape, openapi)
  const { parameters = [], requestBody, responses, ...named } = z.parse(operationShape, operation)
  const all = Object.entries(responses).map(([status, response]) => ({
    status: Number(status),
    content: contentOf(resolve(response, document)),
  }))
  return {
    ...named,
    parameters: parameters.map((parameter): Parameter => {
      const {
        required = false,
        schema = {},
        ...rest
      } = z.parse(parameterShape, resolve(parameter, document))
      return { ...rest, required, type: toType(schema, document) }
    }),
    body: requestBody && describeBody(contentOf(resolve(requestBody, document)), document),
    responses: all
      .filter(({ status }) => status < 400)
      .map(({ content, status }) => ({
        status,
        type: describeBody(content, document)?.type ?? '',
      })),
    errors: all
      .filter(({ status }) => status >= 400)
      .map(({ content, status }) => ({ status, codes: listCodes(content, document) })),
  }
}

type Content = z.output<typeof contentShape>

function contentOf(part: z.output<typeof schemaShape>): Content {
  return z.parse(contentShape, part['content'] ?? {})
}

function describeBody(content: Content, document: Document): Body | undefined {
  const mediaTypes = Object.keys(content)
  const schema = Object.values(content)[0]?.schema
  if (mediaTypes.length === 0) return undefined
  return { mediaTypes, type: schema ? toType(schema, document) : 'bytes' }
}

// None where the application has its own format of errors.
function listCodes(content: Content, document: Document): readonly string[] {
  return Object.values(content).flatMap(({ schema = {} }) => {
    const whole = resolve(schema, document)
    const problems = z.parse(z.array(schemaShape), whole['oneOf'] ?? [whole])
    return problems.flatMap((problem) => codesOf(resolve(problem, document)))
  })
}

function codesOf({ allOf = [] }: Document): readonly string[] {
  const parts = z.parse(z.array(objectShape), allOf)
  return parts.flatMap(({ properties }) =>
    z.parse(namesShape, properties?.['code']?.['enum'] ?? []),
  )
}

const namesShape = z.array(z.string())
const schemaShape = z.record(z.string(), z.unknown())
const contentShape = z.record(z.string(), z.object({ schema: z.optional(schemaShape) }))
const operationShape = z.object({
  operationId: z.string(),
  summary: z.optional(z.string()),
  description: z.optional(z.string()),
  parameters: z.optional(z.array(schemaShape)),
  requestBody: z.optional(schemaShape),
  responses: z.record(z.string(), schemaShape),
})
const parameterShape = z.object({
  name: z.string(),
  in: z.string(),
  required: z.optional(z.boolean()),
  description: z.optional(z.string()),
  schema: z.optional(schemaShape),
})

type Document = Readonly<Record<string, unknown>>

const objectShape = z.object({
  properties: z.optional(z.record(z.string(), schemaShape)),
  required: z.optional(z.array(z.string())),
})

// A reference such as #/components/schemas/Post.
function resolve(part: z.output<typeof schemaShape>, document: Document): Document {
  const reference = part['$ref']
  if (typeof reference !== 'string') return part
  const names = reference.split('/').slice(1)
  const found = names.reduce<unknown>((at, name) => z.parse(schemaShape, at)[name], document)
  return resolve(z.parse(schemaShape, found), document)
}

const deepest = 3

// A schema in the notation of types, down to a depth that a line can show; a schema can contain itself.
function toType(schema: Document, document: Document, depth = 0): string {
  const { anyOf, const: constant, enum: values, items, type } = resolve(schema, document)
  const nested = (part: unknown): string => toType(z.parse(schemaShape, part), document, depth + 1)
  if (constant !== undefined) return JSON.stringify(constant)
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (Array.isArray(type)) return type.join(' | ')
  if (depth < deepest) {
    if (Array.isArray(anyOf)) return [...new Set(anyOf.map(nested))].join(' | ')
    if (type === 'array') return `${inArray(items ? nested(items) : 'any')}[]`
    if (type === 'object') return toObjectType(schema, document, depth)
  }
  return typeof type === 'string' ? type : 'any'
}

function inArray(type: string): string {
  return type.includes(' | ') && !type.startsWith('{') ? `(${type})` : type
}

function toObjectType(schema: Document, document: Document, depth: number): string {
  const { properties = {}, required = [] } = z.parse(objectShape, resolve(schema, document))
  const members = Object.entries(properties).map(
    ([name, property]) =>
      `${name}${required.includes(name) ? '' : '?'}: ${toType(property, document, depth + 1)}`,
  )
  return members.length === 0 ? 'object' : `{ ${members.join(', ')} }`
}
