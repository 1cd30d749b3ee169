import { toTraceFields } from '@create-api/core/internal/jobs'

// The active trace, as in W3C Trace Context; undefined without OpenTelemetry.
export function readTraceparent(): string | undefined {
  const { spanId, traceId } = toTraceFields()
  return traceId === undefined || spanId === undefined ? undefined : `00-${traceId}-${spanId}-01`
}
