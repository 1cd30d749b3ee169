import { type Request } from 'express'

// When a request arrived, by `performance.now()`. Requests created by `createServer` carry it from
// their constructor on, before anything can wait.
export const arrivalField = Symbol('arrived')

type Arrived = Request & { [arrivalField]?: number }

// Returns when the request arrived; for a request of another server, when this is first called.
export function readArrivalTime(req: Arrived): number {
  return (req[arrivalField] ??= performance.now())
}
