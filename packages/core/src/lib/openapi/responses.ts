import { STATUS_CODES } from 'node:http'
import { z, type ZodType } from 'zod'
import { type Envelope, plainEnvelope, type Template, toTemplate } from '../response/envelope.ts'
import {
  type Endpoint,
  type Route,
  toMediaType,
  toResponses as toResponseSchemas,
  withoutParameters,
} from '../route/route.ts'
import { toBodySchema } from './envelope.ts'
import { toExample } from './example.ts'
import { toOperationId, toPascal, toResourceName } from './names.ts'
import { type ErrorScope, listErrorCodes } from './operation-errors.ts'
import { descriptions, toResponseStream, views } from '../schemas/schema-marks.ts'
import { type JsonObject, type SchemaComponents } from './schema-components.ts'

export interface ResponseParts extends ErrorScope {
  readonly components: SchemaComponents
  readonly envelope: Envelope | undefined
  /** Error format of the API, unless it is that of RFC 9457. */
  readonly problem: { readonly contentType: string; readonly schema: ZodType } | undefined
  /** The schemas of single documents, by the names of their components. */
  readonly details: ReadonlyMap<string, ZodType>
  /** `components.responses`, filled by `toResponses`. */
  readonly responses: Record<string, JsonObject>
}

const problemType = 'application/problem+json'

export function toResponses(endpoint: Endpoint, parts: ResponseParts): JsonObject {
  const responses: JsonObject = {}
  for (const [status, response] of toResponseSchemas(endpoint.route)) {
    responses[String(status)] = toSuccess(endpoint, { status, response }, parts)
  }
  if (endpoint.route.etag && endpoint.method === 'GET') {
    const headers = { ...common(parts), ETag: headerOf('ETag') }
    responses['304'] = { description: 'The client has this version.', headers }
  }
  for (const [status, codes] of listErrorCodes(endpoint, parts)) {
    responses[String(status)] = { $ref: addError(status, codes, parts) }
  }
  return responses
}

interface Success {
  readonly status: number
  readonly response: ZodType | undefined
}

// The response that links start from.
export function toMainSuccess({ route }: Endpoint): Success {
  const responses = toResponseSchemas(route)
  const [[first, firstResponse] = [204, undefined]] = responses
  return responses.has(201)
    ? { status: 201, response: responses.get(201) }
    : { status: first, response: firstResponse }
}

// The body of a success.
export function toBody(
  { route }: Endpoint,
  response: ZodType | undefined,
  { envelope }: ResponseParts,
): Template {
  const schemas = { data: response, meta: route.meta }
  return toTemplate(route.envelope ?? envelope ?? plainEnvelope, schemas)
}

export const responseHeaders: Readonly<Record<string, JsonObject>> = {
  'X-Request-Id': toHeader('Id of the request, as in the log and in problem bodies.'),
  RateLimit: toHeader('Remaining requests of the limit, and seconds until it resets.'),
  'RateLimit-Policy': toHeader('The limit and the length of its window in seconds.'),
  ETag: toHeader('Version of the document, for If-Match and If-None-Match.'),
  Location: {
    ...toHeader('Path of the new document.'),
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Retry-After': {
    ...toHeader('Seconds to wait before the next attempt.'),
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': toHeader('How to authenticate (RFC 6750).'),
  'Accept-Post': toHeader('Media types that POST accepts.'),
  'Accept-Patch': toHeader('Media types that PATCH accepts (RFC 5789).'),
}

function toHeader(description: string): JsonObject {
  return { description, schema: { type: 'string' } }
}

function headerOf(name: string): JsonObject {
  return { $ref: `#/components/headers/${name}` }
}

function common({ rateLimited }: ResponseParts): JsonObject {
  const names = ['X-Request-Id', ...(rateLimited ? ['RateLimit', 'RateLimit-Policy'] : [])]
  return Object.fromEntries(names.map((name) => [name, headerOf(name)]))
}

function toSuccess(
  endpoint: Endpoint,
  { status, response }: Success,
  parts: ResponseParts,
): JsonObject {
  const { route, method } = endpoint
  const headers = {
    ...common(parts),
    ...(route.etag && method !== 'DELETE' && { ETag: headerOf('ETag') }),
    ...(status === 201 && route.etag && { Location: headerOf('Location') }),
  }
  const description = `${STATUS_CODES[status] ?? 'Success'}.`
  if (!response) return { description, headers }
  const stream = toResponseStream(response)
  if (stream) {
    const schema = toData({ status, response }, endpoint, parts)
    const text = stream.isEvents
      ? 'Server-sent events. The schema is that of the data of each event, which is JSON.'
      : description
    return { description: text, headers, content: { [toMediaType(route)]: { schema } } }
  }
  return { description, headers, content: toContent(endpoint, { status, response }, parts) }
}

function toContent(
  endpoint: Endpoint,
  { status, response }: Success & { readonly response: ZodType },
  parts: ResponseParts,
): JsonObject {
  const { route } = endpoint
  const { schema: described = response, otherTypes = [] } = descriptions.get(response) ?? {}
  const data = toData({ status, response: described }, endpoint, parts)
  const json = toBodySchema(toBody(endpoint, response, parts), {
    data,
    meta:
      route.meta &&
      parts.components.toNamedOutput(route.meta, `${toResourceName(endpoint.path)}Meta`),
    toMember: (member) => parts.components.toOutput(member),
  })
  const isPage = route.meta && response instanceof z.ZodArray
  const schema = isPage
    ? parts.components.toComponent(json, `${toDataName(response, endpoint)}Page`)
    : json
  const example = toExample(schema, parts.components.schemas)
  return {
    [toMediaType(route)]: { schema, example },
    ...toFormats(route),
    ...toTexts(otherTypes),
  }
}

function toFormats({ formats = [] }: Route): JsonObject {
  return toTexts(formats.map(({ type }) => withoutParameters(type)))
}

// Bodies that are not JSON.
export function toTexts(types: readonly string[]): JsonObject {
  const schema = { type: 'string' }
  return Object.fromEntries(types.map((type) => [type, { schema }]))
}

function toDataName(schema: ZodType, { path }: Endpoint): string {
  return schema.meta()?.title ?? toResourceName(path)
}

// The responses that name the components of a resource: those of GET before others.
export function findDetails(endpoints: readonly Endpoint[]): ReadonlyMap<string, ZodType> {
  const details = new Map<string, ZodType>()
  const others = endpoints.filter(({ method }) => method !== 'GET')
  for (const endpoint of [...endpoints.filter(({ method }) => method === 'GET'), ...others]) {
    const [response] = toResponseSchemas(endpoint.route).values()
    if (!(response instanceof z.ZodObject) || views.has(response)) continue
    const name = toDataName(response, endpoint)
    if (!details.has(name)) details.set(name, response)
  }
  return details
}

function toData(
  { status, response: schema }: Success & { readonly response: ZodType },
  endpoint: Endpoint,
  parts: ResponseParts,
): JsonObject {
  const { components } = parts
  const name = toDataName(schema, endpoint)
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodObject) {
    const { element } = schema
    const wanted = isOther(element, name, parts) ? `${name}Summary` : name
    const { items: _, ...list } = components.toOutput(schema, wanted)
    return { ...list, items: toNamed(element, wanted, components) }
  }
  if (!(schema instanceof z.ZodObject)) return components.toOutput(schema, name)
  const reason = toResponseSchemas(endpoint.route).size > 1 ? STATUS_CODES[status] : undefined
  const operation = toPascal(`${toOperationId(endpoint)} ${reason ?? 'Response'}`)
  return toNamed(schema, isOther(schema, name, parts) ? operation : name, components)
}

function isOther(schema: ZodType, name: string, { details }: ResponseParts): boolean {
  return !views.has(schema) && details.has(name) && details.get(name) !== schema
}

function toNamed(schema: ZodType, name: string, components: SchemaComponents): JsonObject {
  return components.toNamedOutput(schema, views.has(schema) ? `${name}View` : name)
}

const errorHeaders: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  415: ['Accept-Post', 'Accept-Patch'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

function toErrorContent(
  status: number,
  codes: readonly string[],
  { problem, components }: ResponseParts,
): JsonObject {
  if (problem) {
    const type = problem.contentType.replace(/;.*/, '')
    return { [type]: { schema: components.toNamedOutput(problem.schema, 'Error') } }
  }
  const schemas = codes.toSorted().map((code) => toProblem(status, code, components))
  const [first = {}, ...more] = schemas
  return { [problemType]: { schema: more.length === 0 ? first : { oneOf: schemas } } }
}

// One component for each code, so that clients tell errors apart by `code`. Generators such as openapi-python-client merge
// the members of both parts, and do not merge `const` with a type or an `enum`.
function toProblem(status: number, code: string, components: SchemaComponents): JsonObject {
  const own = {
    type: 'object',
    properties: {
      status: { type: 'integer', enum: [status] },
      code: { type: 'string', enum: [code] },
    },
    required: ['status', 'code', ...(code === 'validation_failed' ? ['errors'] : [])],
  }
  const json = { allOf: [{ $ref: '#/components/schemas/Problem' }, own] }
  return components.toComponent(json, `${toPascal(code)}Problem`)
}

// Named by its codes, so that the name does not depend on other operations.
function addError(status: number, codes: readonly string[], parts: ResponseParts): string {
  const reason = STATUS_CODES[status] ?? 'Error'
  const named = parts.problem ? [reason] : codes.toSorted()
  const name = named.map((code) => toPascal(code.replaceAll("'", ''))).join('Or')
  const names = errorHeaders[status] ?? []
  // These are sent before the request is counted.
  const counted = status === 408 || status === 431 ? { ...parts, rateLimited: false } : parts
  parts.responses[name] ??= {
    description: `${reason}.`,
    headers: {
      ...common(counted),
      ...Object.fromEntries(names.map((header) => [header, headerOf(header)])),
    },
    content: toErrorContent(status, codes, parts),
  }
  return `#/components/responses/${name}`
}
