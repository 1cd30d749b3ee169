import { z, type ZodType } from 'zod'
import { catalogue } from '../errors/catalogue.ts'
import { toAccessName, toRole } from '../routing/access.ts'
import { type Endpoint, type Envelope, type Route } from '../routing/route.ts'
import { toEnvelopeShape } from './envelope.ts'
import { toExample } from './example.ts'
import { type NamedEndpoint, toLinks } from './links.ts'
import { toOperationId, toSummary, toTag } from './names.ts'
import { toParameters } from './parameters.ts'
import { responseHeaders, type ResponseParts, toResponses, toStatus } from './responses.ts'
import { createSchemaComponents, type JsonObject } from './schema-components.ts'

/** What the document says about the API as a whole. */
export interface OpenApiOptions {
  /** Name of the API. */
  title: string
  /**
   * Version of the API, as semver.
   * @default '1.0.0'
   */
  version?: string | undefined
  /**
   * What the API is for; Markdown.
   * @default undefined
   */
  description?: string | undefined
  /**
   * Under which terms the API may be used.
   * @default { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' }
   */
  license?: License | undefined
  /**
   * Addresses the API is served at.
   * @default ['/'], the host the document came from
   */
  servers?: readonly string[] | undefined
  /**
   * Whether requests are counted, so that every operation can answer 429.
   * @default true
   */
  rateLimited?: boolean | undefined
  /**
   * The word before an access token in `Authorization`.
   * @default 'Bearer'
   */
  scheme?: string | undefined
  /**
   * What an error looks like, where the API makes other bodies than problems (RFC 9457).
   * @default application/problem+json
   */
  problem?: ForeignProblem | undefined
  /**
   * What goes around `data` and `meta`.
   * @default `{ data, meta }`
   */
  envelope?: Envelope | undefined
}

/** The terms of an API; `identifier` and `url` exclude each other. */
export interface License {
  /** Name of the licence. */
  name: string
  /**
   * SPDX expression, such as `Apache-2.0`.
   * @default undefined
   */
  identifier?: string | undefined
  /**
   * Where it can be read.
   * @default undefined
   */
  url?: string | undefined
}

/** Another error format than problem+json, as `errors.format` makes it. */
export interface ForeignProblem {
  /** Media type of the bodies. */
  contentType: string
  /** What they hold. */
  schema: ZodType
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument extends JsonObject {
  readonly openapi: string
  readonly info: JsonObject
  readonly paths: Readonly<Record<string, JsonObject>>
  readonly components: JsonObject
}

/**
 * Describes an API from the routes that serve it: nothing is written twice. The document is made
 * when it is asked for: it takes longer than the rest of a start.
 * @param endpoints - every operation
 * @param options - what is to be said about the whole
 * @returns gives the document, the same each time
 * @throws Error when two operations have the same `operationId`
 */
export function describeApi(
  endpoints: readonly Endpoint[],
  options: OpenApiOptions,
): () => OpenApiDocument {
  const named = toNamed(endpoints)
  let document: OpenApiDocument | undefined
  return () => (document ??= toDocument(named, options))
}

function toDocument(named: readonly TaggedEndpoint[], options: OpenApiOptions): OpenApiDocument {
  const parts: ResponseParts = {
    rateLimited: options.rateLimited ?? true,
    components: createSchemaComponents(),
    envelope: options.envelope,
    problem: options.problem,
    responses: {},
  }
  if (!options.problem) parts.components.schemas['Problem'] = toProblemSchema()
  const paths: Record<string, JsonObject> = {}
  for (const endpoint of named) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    const operations = (paths[path] ??= {})
    operations[endpoint.method.toLowerCase()] = toOperation(endpoint, named, parts)
  }
  const guarded = named.some(({ route }) => route.access !== 'public')
  return {
    openapi: '3.1.0',
    info: toInfo(options),
    servers: (options.servers ?? ['/']).map((url) => ({ url })),
    tags: toTags(named),
    paths,
    components: {
      schemas: parts.components.schemas,
      responses: parts.responses,
      headers: toUsedHeaders({ paths, responses: parts.responses }),
      ...(guarded && {
        securitySchemes: { bearer: toSecurityScheme(options.scheme ?? 'Bearer') },
      }),
    },
  }
}

// Of the words before a token only Bearer is one that clients know what to do with.
function toSecurityScheme(word: string): JsonObject {
  if (word === 'Bearer') return { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }
  const description = `\`${word}\`, a space and the access token.`
  return { type: 'apiKey', in: 'header', name: 'Authorization', description }
}

type TaggedEndpoint = NamedEndpoint & { readonly tag: string }

function toNamed(endpoints: readonly Endpoint[]): TaggedEndpoint[] {
  const taken = new Map<string, Endpoint>()
  return endpoints.map((endpoint) => {
    const wanted = toOperationId(endpoint)
    const other = taken.get(wanted)
    if (
      other &&
      endpoint.route.operationId !== undefined &&
      other.route.operationId !== undefined
    ) {
      throw new Error(
        `Two routes have the operationId '${wanted}': ${other.method} ${other.path} and ${endpoint.method} ${endpoint.path}.`,
      )
    }
    let operationId = wanted
    for (let count = 2; taken.has(operationId); count++) operationId = `${wanted}${count}`
    taken.set(operationId, endpoint)
    const { method, path, route, render } = endpoint
    return { method, path, route, render, operationId, tag: endpoint.tag ?? toTag(path) }
  })
}

function toOperation(
  endpoint: TaggedEndpoint,
  all: readonly NamedEndpoint[],
  parts: ResponseParts,
): JsonObject {
  const { route, operationId, tag } = endpoint
  const parameters = toParameters(endpoint, parts.components)
  const responses = toResponses(endpoint, parts)
  const links = toLinks(endpoint, all, toEnvelopeShape(route.envelope ?? parts.envelope))
  const status = String(toStatus(endpoint))
  if (links) responses[status] = Object.assign({}, responses[status], { links })
  return {
    operationId,
    summary: toSummary(endpoint, operationId),
    tags: [tag],
    ...(route.deprecated && { deprecated: true }),
    security: toSecurity(route),
    'x-access': toAccessName(route.access),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: toRequestBody(route, route.body, parts) }),
    responses,
  }
}

function toSecurity({ access }: Route): JsonObject[] {
  if (access === 'public') return []
  const role = toRole(access)
  // 3.1 lets a scheme that is not OAuth name the roles it asks for.
  return [{ bearer: role === undefined ? [] : [role] }]
}

function toRequestBody(
  route: Route,
  body: NonNullable<Route['body']>,
  { components }: ResponseParts,
): JsonObject {
  const schema = components.toInput(body)
  const example = toExample(schema, components.schemas)
  // What only a pattern or a check of its own describes cannot be made up.
  const shown = z.safeParse(body, example).success ? { example } : {}
  const types = route.consumes ?? toMediaTypes(route)
  return {
    required: true,
    content: Object.fromEntries(types.map((type) => [type, { schema, ...shown }])),
  }
}

function toMediaTypes({ method }: Route): readonly string[] {
  return method === 'patch'
    ? ['application/merge-patch+json', 'application/json']
    : ['application/json']
}

const proprietary = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' }

function toInfo(options: OpenApiOptions): JsonObject {
  const { title, version = '1.0.0', description, license = proprietary } = options
  return { title, version, ...(description !== undefined && { description }), license }
}

function toTags(endpoints: readonly TaggedEndpoint[]): JsonObject[] {
  const names = new Set(endpoints.map(({ tag }) => tag))
  return Array.from(names, (name) => ({ name, description: `Operations on ${name}.` }))
}

function toUsedHeaders(part: unknown): JsonObject {
  const text = JSON.stringify(part)
  return Object.fromEntries(
    Object.entries(responseHeaders).filter(([name]) =>
      text.includes(`#/components/headers/${name}"`),
    ),
  )
}

function toProblemSchema(): JsonObject {
  const text = { type: 'string' }
  return {
    type: 'object',
    description: 'What went wrong (RFC 9457). Switch on `code`.',
    properties: {
      type: { type: 'string', format: 'uri' },
      title: text,
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: text,
      instance: { type: 'string', format: 'uri-reference' },
      code: { type: 'string', enum: Object.keys(catalogue) },
      requestId: text,
      errors: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            in: { type: 'string', enum: ['body', 'query', 'params', 'header'] },
            pointer: { ...text, description: 'JSON Pointer as URI fragment (RFC 6901).' },
            code: text,
            detail: text,
          },
          required: ['in', 'pointer', 'code', 'detail'],
        },
      },
    },
    required: ['type', 'title', 'status', 'instance', 'code', 'requestId'],
  }
}
