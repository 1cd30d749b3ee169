import { type Express } from 'express'
import { createMountedApp } from '../fast/mounted-app.ts'
import { wrapHandle } from '../stage/wrap-handle.ts'

// Serves requests that were not created for the app, in less time than Express does. `onSlow` is called
// once if they stay slow because of how the surrounding app is served.
export function serveMounted(app: Express, onSlow: () => void): void {
  const mounted = createMountedApp(app, onSlow)
  if (!mounted) return
  wrapHandle(app, (handle) => (req, res, callback) => {
    const isOwn = Object.getPrototypeOf(req) === app.request
    if (!isOwn) mounted.prepare(req, res, callback !== undefined)
    if (isOwn || !callback || !mounted.run(req, res, callback)) handle(req, res, callback)
  })
}
