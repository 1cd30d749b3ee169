import { type Request } from 'express'
import { noteArrival } from '../pipeline/arrival.ts'

/** What authentication wants to know about a request, besides its body. */
export interface RequestFacts {
  /** Id of the request. */
  readonly requestId: string | undefined
  /** Address of the client, as Express' `trust proxy` lets it be known. */
  readonly address: string | undefined
  /** `User-Agent` of the client. */
  readonly device: string | undefined
  /** Milliseconds since the epoch at which the request reached this process. */
  readonly arrivedAt: number
  /**
   * Calls back once the answer has left.
   * @default at once
   */
  readonly whenAnswered?: ((then: () => void) => void) | undefined
}

/**
 * Reads the facts of a request.
 * @param req - the request
 * @param now - milliseconds since the epoch
 * @returns the facts
 */
export function toRequestFacts(req: Request, now: number): RequestFacts {
  // Whole milliseconds: what follows an answer must never seem to have come before it.
  const age = Math.floor(performance.now() - noteArrival(req))
  return {
    requestId: req.id,
    address: req.ip,
    device: req.headers['user-agent'],
    arrivedAt: now - age,
    whenAnswered: (then) => void req.res?.once('close', then),
  }
}
