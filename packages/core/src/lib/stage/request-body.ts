import { type Request } from 'express'

// Whether a request has a body that is not empty (RFC 9112 section 6).
export function hasBody(req: Request): boolean {
  const length = req.headers['content-length']
  return length === undefined ? req.headers['transfer-encoding'] !== undefined : length !== '0'
}

const unhurried = new WeakSet<object>()

// Lets the rest of a body arrive at the pace at which it is processed: `requestTimeout` does not apply.
export function allowAnyTime({ socket }: Request, isAllowed: boolean): void {
  if (isAllowed) unhurried.add(socket)
  else unhurried.delete(socket)
}

export function mayTakeAnyTime(socket: object): boolean {
  return unhurried.has(socket)
}

const progress = new WeakMap<Request, number>()

// Notes that a part of a long body has arrived: the time limit of handlers starts again.
export function noteProgress(req: Request): void {
  progress.set(req, performance.now())
}

// Whether a part of a long body has arrived in the last `ms` milliseconds.
export function hasProgress(req: Request, ms: number): boolean {
  const last = progress.get(req)
  return last !== undefined && performance.now() - last < ms
}
