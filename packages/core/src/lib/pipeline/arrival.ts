import { type Request } from 'express'

/**
 * The field of a request that says when it came in, by `performance.now`. `createServer` sets it
 * when the request is born, before anything waits.
 */
export const arrivedField = Symbol('arrived')

type Arrived = Request & { [arrivedField]?: number }

/**
 * Notes that a request is here, unless that is known already.
 * @param req - the request
 * @returns when it came in, by `performance.now`
 */
export function noteArrival(req: Arrived): number {
  return (req[arrivedField] ??= performance.now())
}
