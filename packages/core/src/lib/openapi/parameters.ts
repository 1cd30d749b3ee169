import { type core, type ZodType } from 'zod'
import { toRule } from '../access/access.ts'
import { type Endpoint } from '../route/route.ts'
import { idempotencyKeyPattern } from '../http/idempotency.ts'
import { toMembers } from '../schemas/schema-members.ts'
import { type JsonObject, type SchemaComponents } from './schema-components.ts'

export function toParameters(
  endpoint: Endpoint,
  components: SchemaComponents,
  tenantHeader: string | undefined,
): JsonObject[] {
  return [
    ...toPathParameters(endpoint, components),
    ...toQueryParameters(endpoint.route.query, components),
    ...toTenantParameter(endpoint, tenantHeader),
    ...toHeaderParameters(endpoint),
  ]
}

function toPathParameters({ path, route }: Endpoint, components: SchemaComponents): JsonObject[] {
  const members = route.params && toMembers(route.params, 'input')
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: toSchema(members?.get(name)?.schema, components) ?? { type: 'string' },
  }))
}

function toQueryParameters(query: ZodType | undefined, components: SchemaComponents): JsonObject[] {
  const members = query && toMembers(query, 'input')
  return Array.from(members ?? [], ([name, { optional, schema: field }]) => {
    const schema = toSchema(field, components) ?? { type: 'string' }
    return {
      name,
      in: 'query',
      ...(describe(name) && { description: describe(name) }),
      ...(!optional && { required: true }),
      // An empty list is sent as none.
      schema: schema['type'] === 'array' && !optional ? { minItems: 1, ...schema } : schema,
    }
  })
}

const descriptions: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    page: 'Page number, from 1.',
    offset: 'Number of items to skip. Cannot be combined with `page` or `cursor`.',
    limit: 'Maximum number of items.',
    cursor:
      '`meta.nextCursor` of the previous response, or empty for the first page. Repeat the other parameters unchanged. Cannot be combined with `page`.',
    sort: 'Fields to sort by, separated by commas, most significant first; `-` means descending.',
    q: 'Text to search for, ignoring case.',
    include: 'References to include in the response, separated by commas.',
    fields: 'Fields to return, separated by commas; `id` is always returned.',
  }),
)

const operators: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    ne: 'is not',
    gt: 'is greater than',
    gte: 'is at least',
    lt: 'is less than',
    lte: 'is at most',
    in: 'is one of these, separated by commas; `\\,` is a comma',
    contains: 'contains, ignoring case',
    startsWith: 'starts with',
    exists: 'has a value',
  }),
)

function describe(name: string): string | undefined {
  const [, field, operator] = /^(\w+)\[(\w+)\]$/.exec(name) ?? []
  if (operator === undefined) return descriptions.get(name)
  return `\`${field}\` ${operators.get(operator) ?? operator}.`
}

function toTenantParameter({ path, route }: Endpoint, name: string | undefined): JsonObject[] {
  if (name === undefined || path.split('/').includes(':org') || !toRule(route.access).tenant)
    return []
  return [{ ...header(name, 'Id of the organization.'), required: true }]
}

function toHeaderParameters({ method, route }: Endpoint): JsonObject[] {
  const parameters: JsonObject[] = []
  if (route.etag && method === 'GET') {
    parameters.push(header('If-None-Match', 'ETags that the client has; a match returns 304.'))
  }
  if (route.etag && ['PUT', 'PATCH', 'DELETE'].includes(method)) {
    const text = 'ETag of the version to change; any other version returns 412.'
    parameters.push({ ...header('If-Match', text), required: route.requireIfMatch === true })
  }
  if (route.idempotent) {
    const text =
      'Unique key of the request; repeating the request with it does not execute it again.'
    const schema = { type: 'string', pattern: idempotencyKeyPattern }
    parameters.push({ ...header('Idempotency-Key', text), schema })
  }
  return parameters
}

function header(name: string, description: string): JsonObject {
  return { name, in: 'header', description, schema: { type: 'string' } }
}

// In a URL everything is text, so the parsed type is more useful. A list is described as the text that
// is sent, because many clients repeat a list parameter for each item, regardless of the document.
function toSchema(
  field: core.$ZodType | undefined,
  components: SchemaComponents,
): JsonObject | undefined {
  if (!field) return undefined
  const parsed = components.toOutput(field)
  const isUseful =
    Object.keys(parsed).some((key) => key !== 'default') && parsed['type'] !== 'array'
  return isUseful ? parsed : components.toInput(field)
}
