import type * as OpenTelemetry from '@opentelemetry/api'
import { loadIfInstalled } from '../optional-package.ts'

/** The ids by which a line of a log is found from its trace, and the other way round. */
export interface TraceFields {
  readonly traceId?: string
  readonly spanId?: string
}

// Where a registered SDK is found by every copy of the API: without one there is nothing to load.
const registration = Symbol.for('opentelemetry.js.api.1')
const noTrace: TraceFields = {}
let loaded: typeof OpenTelemetry | false | undefined

/**
 * The trace that is being recorded here.
 * @returns its ids, in hex as W3C Trace Context writes them; nothing without OpenTelemetry
 */
export function toTraceFields(): TraceFields {
  const span = findApi()?.trace.getActiveSpan()?.spanContext()
  return span ? { traceId: span.traceId, spanId: span.spanId } : noTrace
}

/**
 * Tells the instrumentation of `node:http` which route serves the request, as that of Express does
 * for routes that Express finds: the server span then has `http.route`, and its name.
 * @param route - the pattern
 */
export function setHttpRoute(route: string): void {
  const api = findApi()
  const metadata = api?.context.active().getValue(api.createContextKey(rpcMetadataKey))
  if (isHttpMetadata(metadata)) metadata.route = route
}

// The key of `getRPCMetadata` in @opentelemetry/core, which services do not install by themselves.
const rpcMetadataKey = 'OpenTelemetry SDK Context Key RPC_METADATA'

function isHttpMetadata(value: unknown): value is { route?: string } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'http'
}

function findApi(): typeof OpenTelemetry | undefined {
  if (loaded === undefined) {
    if (!Reflect.has(globalThis, registration)) return undefined
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the package says of itself
    loaded = (loadIfInstalled('@opentelemetry/api') as typeof OpenTelemetry | undefined) ?? false
  }
  return loaded || undefined
}
