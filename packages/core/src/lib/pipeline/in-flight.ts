import { type Response } from 'express'
import { ApiError } from '../errors/api-error.ts'
import { type SendError } from './send-error.ts'
import { createStage, type Stage } from './stage.ts'

/** Options for {@link createInFlight}. */
export interface InFlightOptions {
  /**
   * Milliseconds after which a request whose handler has not begun to answer gets a 503, looked at
   * once a second; false for no bound. What is being answered, such as a stream, is left alone.
   * @default false
   */
  handlerTimeout?: number | false | undefined
  /**
   * Answers the late ones; needed with a `handlerTimeout`.
   * @default nobody
   */
  sendError?: SendError | undefined
}

/** The requests whose answers are not out yet. */
export interface InFlight {
  /** Takes a request in, until its answer is out or its client gone. */
  readonly stage: Stage
  /** How many there are. */
  readonly count: number
  /** Asks the clients of all of them to close their connections with the answer. */
  closeAfterAnswers(): void
}

const tickMs = 1000

/**
 * Keeps track of the requests in flight: how many there are, and which of them take too long.
 * @param options - the bound on handlers
 * @returns the requests in flight
 */
export function createInFlight(options: InFlightOptions = {}): InFlight {
  const { handlerTimeout = false, sendError } = options
  // Oldest first, each with the tick of its arrival.
  const responses = new Map<Response, number>()
  // Time is counted in ticks: one in which the process stood still was nobody's fault.
  const patience = handlerTimeout === false ? Infinity : Math.ceil(handlerTimeout / tickMs)
  let ticks = 0
  let timer: NodeJS.Timeout | undefined

  // One function for all requests: the response is `this`.
  function leave(this: Response): void {
    responses.delete(this)
  }

  function tick(): void {
    ticks++
    for (const [res, arrival] of responses) {
      if (ticks - arrival <= patience) return
      responses.delete(res)
      if (!res.headersSent) sendError?.(tooLate(handlerTimeout), res.req, res)
    }
  }

  return {
    stage: createStage((_req, res) => {
      if (patience !== Infinity) timer ??= setInterval(tick, tickMs).unref()
      responses.set(res, ticks)
      res.on('close', leave)
    }),
    get count() {
      return responses.size
    },
    closeAfterAnswers() {
      for (const res of responses.keys()) {
        if (!res.headersSent) res.setHeader('Connection', 'close')
      }
    },
  }
}

function tooLate(timeout: number | false): ApiError {
  const cause = new Error(`The handler did not answer within ${timeout} ms (HANDLER_TIMEOUT).`)
  return new ApiError('service_unavailable', { cause })
}
