import { type Request } from 'express'

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
