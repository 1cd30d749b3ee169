import { type Express, type Request, type Response } from 'express'

/** What an app is called with: by its server, or by another app, which waits for `callback`. */
export type Handle = (req: Request, res: Response, callback?: (error?: unknown) => void) => void

/**
 * Puts something around all that an app does.
 * @param app - the Express app
 * @param wrap - gets what the app did so far, gives what it does from now on
 * @throws Error when this release of Express works in another way
 */
export function wrapHandle(app: Express, wrap: (handle: Handle) => Handle): void {
  const handle: unknown = Reflect.get(app, 'handle')
  if (typeof handle !== 'function') throw new Error('This release of Express has no app.handle.')
  const wrapped = wrap((...args) => Reflect.apply(handle, app, args))
  Reflect.set(app, 'handle', wrapped)
}
