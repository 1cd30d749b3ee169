import { ApiError } from '../errors/api-error.ts'
import { eventLoopDelay } from './event-loop-delay.ts'
import { type InFlight } from './in-flight.ts'
import { createStage, type Stage } from './stage.ts'

/** Options for {@link overload}. */
export interface OverloadOptions {
  /**
   * Most requests in flight; false for no bound.
   * @default false
   */
  maxConcurrentRequests?: number | false | undefined
  /**
   * Milliseconds by which the event loop may be late; false for no bound.
   * @default false
   */
  maxEventLoopDelay?: number | false | undefined
  /** The requests in flight; its stage stands before this one. */
  inFlight: Pick<InFlight, 'count'>
}

/**
 * Refuses requests with 503 `overloaded` and `Retry-After` while there are more than can be
 * served: a quick refusal instead of a queue without end. Health stands before it.
 * @param options - the bounds
 * @returns the stage
 */
export function overload(options: OverloadOptions): Stage {
  const { maxConcurrentRequests = false, maxEventLoopDelay = false, inFlight } = options
  const most = maxConcurrentRequests === false ? Infinity : maxConcurrentRequests
  const latest = maxEventLoopDelay === false ? Infinity : maxEventLoopDelay
  const watchesLoop = latest !== Infinity
  return createStage(() => {
    if (inFlight.count > most) throw new ApiError('overloaded')
    if (watchesLoop && eventLoopDelay() > latest) throw new ApiError('overloaded')
  })
}
