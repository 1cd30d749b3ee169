import { ApiError } from '../errors/api-error.ts'
import { type InFlight } from './in-flight.ts'
import { createStage, type Stage } from '../stage/stage.ts'

/** Options for {@link overload}. */
export interface OverloadOptions {
  /**
   * Maximum number of requests in flight; false for no limit.
   * @default false
   */
  maxConcurrentRequests?: number | false | undefined
  /**
   * Maximum delay of the event loop in milliseconds; false for no limit.
   * @default false
   */
  maxEventLoopDelay?: number | false | undefined
  /** The requests in flight; its stage runs before this one. */
  inFlight: Pick<InFlight, 'count'>
}

/**
 * Rejects requests with 503 `overloaded` and `Retry-After` while the service has more work than it
 * can do, instead of queueing them. The health checks come before it.
 * @param options - the limits
 * @returns the stage
 */
export function overload(options: OverloadOptions): Stage {
  const { maxConcurrentRequests = false, maxEventLoopDelay = false, inFlight } = options
  const maxRequests = maxConcurrentRequests === false ? Infinity : maxConcurrentRequests
  return createStage(() => {
    if (inFlight.count > maxRequests) throw new ApiError('overloaded')
    if (maxEventLoopDelay !== false && eventLoopDelay() > maxEventLoopDelay) {
      throw new ApiError('overloaded')
    }
  })
}

const intervalMs = 100

let last = 0
let previous = 0
let timer: NodeJS.Timeout | undefined

// How late the event loop is, in milliseconds. The lower of the last two measurements counts: one
// long task, or a process that was suspended, is not a queue. The first call starts measuring.
function eventLoopDelay(): number {
  if (timer === undefined) startMeasuring()
  return Math.min(last, previous)
}

function startMeasuring(): void {
  let due = performance.now() + intervalMs
  timer = setInterval(() => {
    const now = performance.now()
    previous = last
    last = Math.max(0, now - due)
    due = now + intervalMs
  }, intervalMs).unref()
}
