import { type Express, type Request, type Response } from 'express'

// How a server calls an app, or another app, which passes `callback`.
export type Handle = (req: Request, res: Response, callback?: (error?: unknown) => void) => void

// Wraps everything that an app does. Throws an Error if this release of Express has no `app.handle`.
export function wrapHandle(app: Express, wrap: (handle: Handle) => Handle): void {
  const handle: unknown = Reflect.get(app, 'handle')
  if (typeof handle !== 'function') throw new Error('This release of Express has no app.handle.')
  const wrapped = wrap((...args) => Reflect.apply(handle, app, args))
  Reflect.set(app, 'handle', wrapped)
}
