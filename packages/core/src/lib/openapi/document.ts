import { z, type ZodType } from 'zod'
import { type ErrorStatuses } from '../errors/error-statuses.ts'
import { toAccessName } from '../access/access.ts'
import { toTag } from '../route/path-words.ts'
import { type Envelope } from '../response/envelope.ts'
import { type Endpoint, type Route } from '../route/route.ts'
import { type MultipartPlan, toMultipartPlan } from '../uploads/multipart.ts'
import { toJsonDecoder } from '../schemas/decoder.ts'
import { descriptions } from '../schemas/schema-marks.ts'
import { toExample } from './example.ts'
import { type NamedEndpoint, toLinks } from './links.ts'
import { toBodyName, toOperationId, toSummary } from './names.ts'
import { describeOperation } from './describe-operation.ts'
import { listAllCodes } from './operation-errors.ts'
import { toParameters } from './parameters.ts'
import {
  findDetails,
  responseHeaders,
  type ResponseParts,
  toBody,
  toMainSuccess,
  toResponses,
  toTexts,
} from './responses.ts'
import { type SecuritySchemes, toSecurity, toSecuritySchemes } from './security.ts'
import {
  createSchemaComponents,
  type JsonObject,
  type SchemaComponents,
} from './schema-components.ts'
import { type OpenApiWebhooks, toWebhooks } from './webhooks.ts'

export interface OpenApiOptions {
  /** Name of the API. */
  title: string
  /**
   * Version of the API, as semver.
   * @default '1.0.0'
   */
  version?: string | undefined
  /**
   * Description of the API, in Markdown.
   * @default undefined
   */
  description?: string | undefined
  /**
   * The licence of the API.
   * @default { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' }
   */
  license?: License | undefined
  /**
   * Base URLs of the API.
   * @default ['/'], the host that serves the document, or the path that the API is mounted at
   */
  servers?: readonly string[] | undefined
  /**
   * Whether a rate limit applies, so that every operation can return 429.
   * @default true
   */
  rateLimited?: boolean | undefined
  /**
   * Statuses that replace those of error codes.
   * @default {}
   */
  statuses?: ErrorStatuses | undefined
  /**
   * The header that names the organization of a request.
   * @default undefined, no header does
   */
  tenantHeader?: string | undefined
  /**
   * How callers present their credentials, by name; one of these is enough.
   * @default a bearer token
   */
  securitySchemes?: SecuritySchemes | undefined
  /**
   * The error format, if it is not a problem (RFC 9457).
   * @default application/problem+json
   */
  problem?: ForeignProblem | undefined
  /**
   * Requests that the API sends, by name.
   * @default undefined
   */
  webhooks?: OpenApiWebhooks | undefined
  /**
   * Wraps `data` and `meta`.
   * @default `{ data, meta }`
   */
  envelope?: Envelope | undefined
}

/** The licence of an API; `identifier` and `url` exclude each other. */
export interface License {
  /** Name of the licence. */
  name: string
  /**
   * SPDX expression, such as `Apache-2.0`.
   * @default undefined
   */
  identifier?: string | undefined
  /**
   * URL of its text.
   * @default undefined
   */
  url?: string | undefined
}

/** The error format of `errors.format`, if it is not problem+json. */
export interface ForeignProblem {
  /** Media type of the bodies. */
  contentType: string
  /** Schema of the bodies. */
  schema: ZodType
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument extends JsonObject {
  readonly openapi: string
  readonly info: JsonObject
  readonly paths: Readonly<Record<string, JsonObject>>
  readonly components: JsonObject
}

// Describes an API, as seen below the path that it is mounted at.
export type DescribeApi = (mount?: string) => OpenApiDocument

// Built on the first request: it takes longer than the rest of the start.
export function describeApi(endpoints: readonly Endpoint[], options: OpenApiOptions): DescribeApi {
  const named = toNamed(endpoints)
  let document: OpenApiDocument | undefined
  return (mount = '') => {
    document ??= buildDocument(named, options)
    return mount === '' || options.servers ? document : { ...document, servers: [{ url: mount }] }
  }
}

interface DocumentParts extends ResponseParts {
  readonly tenantHeader: string | undefined
  /** `components.requestBodies`, filled by `addRequestBody`. */
  readonly requestBodies: Record<string, JsonObject>
  readonly securitySchemes: SecuritySchemes
}

function buildDocument(named: readonly TaggedEndpoint[], options: OpenApiOptions): OpenApiDocument {
  const details = findDetails(named)
  const resources = new Map(Array.from(details, ([name, schema]) => [schema, name]))
  const parts: DocumentParts = {
    securitySchemes: options.securitySchemes ?? toSecuritySchemes(),
    rateLimited: options.rateLimited ?? true,
    statuses: options.statuses ?? {},
    tenantHeader: options.tenantHeader,
    components: createSchemaComponents(resources, options.problem ? {} : problemReference),
    envelope: options.envelope,
    problem: options.problem,
    responses: {},
    requestBodies: {},
    details,
  }
  if (!options.problem) parts.components.schemas['Problem'] = toProblemSchema(listAllCodes(named))
  const paths: Record<string, JsonObject> = {}
  for (const endpoint of named) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    const operations = (paths[path] ??= {})
    operations[endpoint.method.toLowerCase()] = buildOperation(endpoint, named, parts)
  }
  const webhooks = toWebhooks(options.webhooks, parts.components, named)
  const guarded = named.some(({ route }) => route.access !== 'public')
  return {
    openapi: '3.1.0',
    info: buildInfo(options),
    servers: (options.servers ?? ['/']).map((url) => ({ url })),
    tags: toTags(named),
    paths,
    ...webhooks,
    components: {
      schemas: parts.components.schemas,
      ...(Object.keys(parts.requestBodies).length > 0 && { requestBodies: parts.requestBodies }),
      responses: parts.responses,
      headers: toUsedHeaders({ paths, responses: parts.responses }),
      ...(guarded && {
        securitySchemes: parts.securitySchemes,
      }),
    },
  }
}

const problemReference = { $ref: '#/components/schemas/Problem' }

type TaggedEndpoint = NamedEndpoint & { readonly tag: string }

function toNamed(endpoints: readonly Endpoint[]): TaggedEndpoint[] {
  const byId = new Map<string, Endpoint>()
  return endpoints.map((endpoint) => {
    const wanted = toOperationId(endpoint)
    const other = byId.get(wanted)
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
    for (let count = 2; byId.has(operationId); count++) operationId = `${wanted}${count}`
    byId.set(operationId, endpoint)
    const { method, path, route, render, toStatus, deprecation } = endpoint
    return {
      method,
      path,
      route,
      render,
      toStatus,
      deprecation,
      operationId,
      tag: endpoint.tag ?? toTag(path),
    }
  })
}

function buildOperation(
  endpoint: TaggedEndpoint,
  all: readonly NamedEndpoint[],
  parts: DocumentParts,
): JsonObject {
  const { route, operationId, tag } = endpoint
  const parameters = toParameters(endpoint, parts.components, parts.tenantHeader)
  const responses = toResponses(endpoint, parts)
  const main = toMainSuccess(endpoint)
  const links = toLinks(endpoint, all, toBody(endpoint, main.response, parts))
  const status = String(main.status)
  if (links) responses[status] = Object.assign({}, responses[status], { links })
  return {
    operationId,
    summary: toSummary(endpoint, operationId),
    description: describeOperation(endpoint),
    tags: [tag],
    ...endpoint.deprecation?.members,
    security: toSecurity(route, parts.securitySchemes),
    'x-access': toAccessName(route.access),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: addRequestBody(endpoint, route.body, parts) }),
    responses,
  }
}

// A component, so that generators name it after its operation; in `schemas`, some would require what has
// a default, as in responses.
function addRequestBody(
  { route, operationId }: NamedEndpoint,
  body: NonNullable<Route['body']>,
  { components, requestBodies }: DocumentParts,
): JsonObject {
  const name = toBodyName(operationId)
  requestBodies[name] = toRequestBody({ name, route, body }, components)
  return { $ref: `#/components/requestBodies/${name}` }
}

interface NamedBody {
  readonly name: string
  readonly route: Route
  readonly body: NonNullable<Route['body']>
}

function toRequestBody({ name, route, body }: NamedBody, components: SchemaComponents): JsonObject {
  const { schema: described = body, otherTypes = [] } = descriptions.get(body) ?? {}
  const schema = components.toInput(described, name)
  const plan = toMultipartPlan(body)
  if (plan) return toUpload(body, plan, schema)
  const example = toExample(schema, components.schemas)
  // A pattern or a custom check can make the generated example invalid.
  const decode = toJsonDecoder(body)
  const shown = z.safeParse(body, decode ? decode(example) : example).success ? { example } : {}
  const types = route.consumes ?? toMediaTypes(route)
  return {
    required: !z.safeParse(body, undefined).success,
    content: {
      ...Object.fromEntries(types.map((type) => [type, { schema, ...shown }])),
      ...toTexts(otherTypes),
    },
  }
}

function toUpload(body: ZodType, { files }: MultipartPlan, schema: JsonObject): JsonObject {
  const encoding = [...files].flatMap(([name, { types }]) =>
    types ? [[name, { contentType: types.join(', ') }]] : [],
  )
  return {
    required: !z.safeParse(body, {}).success,
    content: {
      'multipart/form-data': {
        schema,
        ...(encoding.length > 0 && { encoding: Object.fromEntries(encoding) }),
      },
    },
  }
}

function toMediaTypes({ method }: Route): readonly string[] {
  // One: generators cannot choose. The service accepts application/json, too.
  return [method === 'patch' ? 'application/merge-patch+json' : 'application/json']
}

const proprietary = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' }

function buildInfo(options: OpenApiOptions): JsonObject {
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

function toProblemSchema(codes: readonly string[]): JsonObject {
  const text = { type: 'string' }
  return {
    type: 'object',
    description: 'Details of an error (RFC 9457). Clients switch on `code`.',
    properties: {
      type: { type: 'string', format: 'uri' },
      title: text,
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: text,
      instance: { type: 'string', format: 'uri-reference' },
      code: { type: 'string', enum: codes },
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
