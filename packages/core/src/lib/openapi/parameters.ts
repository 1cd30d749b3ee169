import { type core, z, type ZodType } from 'zod'
import { type Endpoint } from '../routing/route.ts'
import { idempotencyKeyPattern } from '../resource/idempotency.ts'
import { type JsonObject, type SchemaComponents } from './schema-components.ts'

/**
 * Describes what an operation takes beside its body: path, query and header fields.
 * @param endpoint - the operation
 * @param components - translates schemas
 * @returns the parameters, one by one
 */
export function toParameters(endpoint: Endpoint, components: SchemaComponents): JsonObject[] {
  return [
    ...toPathParameters(endpoint, components),
    ...toQueryParameters(endpoint.route.query, components),
    ...toHeaderParameters(endpoint),
  ]
}

function toPathParameters({ path, route }: Endpoint, components: SchemaComponents): JsonObject[] {
  const shape = toShape(route.params)
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: toSchema(shape[name], components) ?? { type: 'string' },
  }))
}

function toQueryParameters(query: ZodType | undefined, components: SchemaComponents): JsonObject[] {
  return Object.entries(toShape(query)).map(([name, field]) => {
    const schema = toSchema(field, components) ?? { type: 'string' }
    return {
      name,
      in: 'query',
      ...(describe(name) && { description: describe(name) }),
      ...(!z.safeParse(field, undefined).success && { required: true }),
      schema,
    }
  })
}

const descriptions: Readonly<Record<string, string>> = {
  page: 'Which page, from 1. Not together with `cursor`.',
  limit: 'Most items to answer with.',
  cursor:
    'Where to go on: `meta.nextCursor` of the answer before. Empty to begin. The other parameters stay the same from call to call.',
  sort: 'Fields to sort by, separated by commas, the first one first; `-` for descending.',
  q: 'Text to search for, ignoring case.',
  include: 'What is referred to and shall be part of the answer.',
  fields: 'Fields of the answer; `id` is always among them.',
}

const operators: Readonly<Record<string, string>> = {
  ne: 'is not',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  in: 'is one of these, separated by commas',
  contains: 'contains, ignoring case',
  startsWith: 'starts with',
}

function describe(name: string): string | undefined {
  const [, field, operator] = /^(\w+)\[(\w+)\]$/.exec(name) ?? []
  if (operator === undefined) return descriptions[name]
  return `\`${field}\` ${operators[operator] ?? operator}.`
}

function toHeaderParameters({ method, route }: Endpoint): JsonObject[] {
  const parameters: JsonObject[] = []
  if (route.etag && method === 'GET') {
    parameters.push(header('If-None-Match', 'ETags the client has; a match is answered with 304.'))
  }
  if (route.etag && ['PUT', 'PATCH', 'DELETE'].includes(method)) {
    const text = 'ETag of the version to change; another version is answered with 412.'
    parameters.push({ ...header('If-Match', text), required: route.requireIfMatch === true })
  }
  if (route.idempotent) {
    const text = 'A new name for what is asked; sent again with it, the request is not done again.'
    const schema = { type: 'string', pattern: idempotencyKeyPattern }
    parameters.push({ ...header('Idempotency-Key', text), schema })
  }
  return parameters
}

function header(name: string, description: string): JsonObject {
  return { name, in: 'header', description, schema: { type: 'string' } }
}

// A query schema may be an object and what it is made into: the object says what to send.
function toShape(schema: core.$ZodType | undefined): Readonly<Record<string, ZodType>> {
  if (schema instanceof z.ZodPipe) return toShape(schema.in)
  return schema instanceof z.ZodObject ? schema.shape : {}
}

// In a URL everything is text; the type a parameter is parsed to says more. A list stays the text it
// is sent as, because many clients repeat the parameter for each item whatever the document says.
function toSchema(
  field: ZodType | undefined,
  components: SchemaComponents,
): JsonObject | undefined {
  if (!field) return undefined
  const parsed = components.toOutput(field)
  const tells = Object.keys(parsed).some((key) => key !== 'default') && parsed['type'] !== 'array'
  return tells ? parsed : components.toInput(field)
}
