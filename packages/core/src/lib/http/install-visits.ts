import { type Express } from 'express'
import { createVisit } from '../fast/visit.ts'
import { wrapHandle } from '../stage/wrap-handle.ts'

// Serves requests that were not created for the app, in less time than Express does. `onSlow` is called
// once if they stay slow because of how the surrounding app is served.
export function installVisits(app: Express, onSlow: () => void): void {
  const visit = createVisit(app, onSlow)
  if (!visit) return
  wrapHandle(app, (handle) => (req, res, callback) => {
    const isOwn = Object.getPrototypeOf(req) === app.request
    if (!isOwn) visit.prepare(req, res, callback !== undefined)
    if (isOwn || !callback || !visit.run(req, res, callback)) handle(req, res, callback)
  })
}
