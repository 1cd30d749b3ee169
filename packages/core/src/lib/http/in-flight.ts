import { type Response } from 'express'
import { ApiError } from '../errors/api-error.ts'
import { type SendError } from './error-handler.ts'
import { hasProgress } from '../stage/request-body.ts'
import { createStage, type Stage } from '../stage/stage.ts'

/** Options for {@link createInFlight}. */
export interface InFlightOptions {
  /**
   * Milliseconds after which a request whose response has not started gets a 503, checked once a
   * second; false for no limit. Responses that have started, such as streams, are not affected, and
   * neither are uploads while they arrive.
   * @default false
   */
  handlerTimeout?: number | false | undefined
  /**
   * Sends the 503; required with a `handlerTimeout`.
   * @default undefined
   */
  sendError?: SendError | undefined
}

/** The requests whose responses are not complete. */
export interface InFlight {
  /** Tracks a request until its response is sent or its client has disconnected. */
  readonly stage: Stage
  /** Number of requests in flight. */
  readonly count: number
  /** Stops tracking a response that stays open, such as a stream of events. */
  readonly release: (res: Response) => void
  /** Sets `Connection: close` on the response of each of them. */
  closeAfterResponses(): void
}

const tickMs = 1000

/**
 * Tracks the requests in flight: how many there are, and which of them take too long.
 * @param options - the time limit of handlers
 * @returns the requests in flight
 */
export function createInFlight(options: InFlightOptions = {}): InFlight {
  const { handlerTimeout = false, sendError } = options
  // Oldest first, each with the tick of its arrival.
  const responses = new Map<Response, number>()
  // Time is counted in ticks, so the time in which the process was suspended does not count.
  const maxTicks = handlerTimeout === false ? Infinity : Math.ceil(handlerTimeout / tickMs)
  let ticks = 0
  let timer: NodeJS.Timeout | undefined

  // One function for all requests: the response is `this`.
  function leave(this: Response): void {
    responses.delete(this)
  }

  function tick(): void {
    ticks++
    for (const [res, arrival] of responses) {
      if (ticks - arrival <= maxTicks) return
      responses.delete(res)
      // The time does not start before a long body is complete.
      if (handlerTimeout !== false && hasProgress(res.req, handlerTimeout)) {
        responses.set(res, ticks)
        continue
      }
      if (!res.headersSent) sendError?.(createTimeout(handlerTimeout), res.req, res)
    }
  }

  return {
    stage: createStage((_req, res) => {
      if (maxTicks !== Infinity) timer ??= setInterval(tick, tickMs).unref()
      responses.set(res, ticks)
      res.on('close', leave)
    }),
    get count() {
      return responses.size
    },
    release(res) {
      responses.delete(res)
    },
    closeAfterResponses() {
      for (const res of responses.keys()) {
        if (!res.headersSent) res.setHeader('Connection', 'close')
      }
    },
  }
}

// While the service shuts down each response closes its connection: `server.close()` alone does not
// close connections that stay busy.
export function drain(isDraining: () => boolean): Stage {
  return createStage((_req, res) => {
    if (isDraining()) res.setHeader('Connection', 'close')
  })
}

function createTimeout(timeout: number | false): ApiError {
  const cause = new Error(`The handler did not respond within ${timeout} ms (HANDLER_TIMEOUT).`)
  return new ApiError('service_unavailable', { cause })
}
