import { type Request } from 'express'
import { loadIfInstalled } from '../runtime/optional-package.ts'

// Links a log line to its trace, in hex as in W3C Trace Context.
export interface TraceFields {
  readonly traceId?: string
  readonly spanId?: string
}

/** The part of the package `@opentelemetry/api` that is used. */
export interface OpenTelemetry {
  readonly trace: { getActiveSpan(): { spanContext(): Required<TraceFields> } | undefined }
  readonly context: { active(): { getValue(key: symbol): unknown } }
  createContextKey(description: string): symbol
}

// The key under which every copy of the API finds a registered SDK. Without one, nothing is loaded.
const registration = Symbol.for('opentelemetry.js.api.1')
const noTrace: TraceFields = {}
let loaded: OpenTelemetry | false | undefined

// The ids of the active trace; none without OpenTelemetry.
export function toTraceFields(): TraceFields {
  const span = findApi()?.trace.getActiveSpan()?.spanContext()
  return span ? { traceId: span.traceId, spanId: span.spanId } : noTrace
}

// Passes the pattern of the route to the instrumentation of `node:http`, for `http.route` and the name of the
// server span. The instrumentation of Express does so for the routes that Express finds.
export function setHttpRoute(req: Request, route: string): void {
  const api = findApi()
  const metadata = api?.context.active().getValue(api.createContextKey(rpcMetadataKey))
  if (isHttpMetadata(metadata)) metadata.route = below(toMountPattern(req), route)
}

function below(mount: string, route: string): string {
  return route === '/' && mount !== '' ? mount : mount + route
}

// The pattern of the path that an app or a router is mounted at.
function toMountPattern({ app, baseUrl, params }: Request): string {
  // Missing outside Express.
  if (!baseUrl) return ''
  const known = app.path()
  if (known.split('/').length === baseUrl.split('/').length) return known
  const names = new Map(Object.entries(params).map(([name, value]) => [String(value), `:${name}`]))
  return baseUrl.replaceAll(/[^/]+/g, (segment) => names.get(decode(segment)) ?? segment)
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

// The key of `getRPCMetadata` in @opentelemetry/core, which services do not install themselves.
const rpcMetadataKey = 'OpenTelemetry SDK Context Key RPC_METADATA'

function isHttpMetadata(value: unknown): value is { route?: string } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'http'
}

function findApi(): OpenTelemetry | undefined {
  if (loaded === undefined) {
    if (!Reflect.has(globalThis, registration)) return undefined
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is used of the package
    loaded = (loadIfInstalled('@opentelemetry/api') as OpenTelemetry | undefined) ?? false
  }
  return loaded || undefined
}
