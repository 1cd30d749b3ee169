import { loadIfInstalled } from '@create-api/core/internal/jobs'
import { type JobRecord } from '../queue/job-record.ts'

interface SpanContext {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
  readonly isRemote?: boolean
}

interface Span {
  recordException(error: Error): void
  setStatus(status: { readonly code: number }): void
  end(): void
}

/** The part of the package `@opentelemetry/api` that is used. */
export interface OpenTelemetry<Context = unknown> {
  readonly trace: {
    getTracer(name: string): {
      startActiveSpan<Result>(
        name: string,
        options: { readonly kind: number; readonly attributes: Record<string, string | number> },
        context: Context,
        work: (span: Span) => Result,
      ): Result
    }
    setSpanContext(context: Context, spanContext: SpanContext): Context
  }
  readonly ROOT_CONTEXT: Context
}

const registration = Symbol.for('opentelemetry.js.api.1')
// Values of SpanKind and SpanStatusCode.
const consumer = 4
const failed = 2

// Runs an attempt in a span that continues the trace of the request that has added the job. Without a registered SDK, nothing is loaded.
export async function runTraced(record: JobRecord, run: () => Promise<void>): Promise<void> {
  const api = findApi()
  if (!api) return run()
  const { ROOT_CONTEXT: root, trace } = api
  const parent = parseTraceparent(record.traceparent)
  const context = parent ? trace.setSpanContext(root, parent) : root
  const attributes = {
    'messaging.system': 'mongodb',
    'messaging.destination.name': record.name,
    'messaging.message.id': record._id,
    'job.attempt': record.attempt,
  }
  const options = { kind: consumer, attributes }
  const tracer = trace.getTracer('@create-api/jobs')
  return tracer.startActiveSpan(`process ${record.name}`, options, context, async (span) => {
    try {
      await run()
    } catch (error) {
      span.recordException(error instanceof Error ? error : new Error(String(error)))
      span.setStatus({ code: failed })
      throw error
    } finally {
      span.end()
    }
  })
}

function findApi(): OpenTelemetry | undefined {
  if (!Reflect.has(globalThis, registration)) return undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is used of the package
  return loadIfInstalled('@opentelemetry/api') as OpenTelemetry | undefined
}

function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] =
    /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/.exec(text ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
}
