import { type Request } from 'express'
import { readArrivalTime } from '../../fast/arrival-time.ts'
import { type RequestCaller } from '../../route/request.ts'
import { toClientAddress } from '../../address/client-address.ts'

/** The facts about a request that authentication uses, besides its body. */
export interface RequestFacts {
  /** Id of the request. */
  readonly requestId: string | undefined
  /** Address of the client, according to Express' `trust proxy`. */
  readonly address: string | undefined
  /** `User-Agent` header of the client. */
  readonly device: string | undefined
  /** Milliseconds since the epoch at which the request reached this process. */
  readonly arrivedAt: number
  /**
   * Id of the caller.
   * @default undefined
   */
  readonly callerId?: string | undefined
  /**
   * Calls back once the response has been sent.
   * @default immediately
   */
  readonly afterResponse?: ((then: () => void) => void) | undefined
}

/**
 * The request that a call of the service belongs to: an Express request, or the facts about it that
 * are known. Without an address no limit per address applies.
 */
export type AuthRequest = Request | Partial<RequestFacts>

export function toFacts(request: AuthRequest | undefined, now: number): RequestFacts {
  if (request && 'headers' in request) return toRequestFacts(request, now)
  return {
    requestId: undefined,
    address: undefined,
    device: undefined,
    arrivedAt: now,
    ...request,
  }
}

export function toRequestFacts(req: Request & RequestCaller, now: number): RequestFacts {
  // Whole milliseconds: a request that follows a response must never seem to have arrived before it.
  const age = Math.floor(performance.now() - readArrivalTime(req))
  return {
    requestId: req.id,
    address: toClientAddress(req) || undefined,
    device: req.headers['user-agent'],
    arrivedAt: now - age,
    callerId: req.user?.id,
    afterResponse: (then) => void req.res?.once('close', then),
  }
}
