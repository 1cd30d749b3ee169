import { type Express } from 'express'
import { wrapHandle } from '../stage/wrap-handle.ts'

// Lets an app trust the proxies that its host trusts. `host.use(app)` does so in Express itself; a
// router or a function between the two does not tell the app that it is mounted.
export function inheritTrust(app: Express): void {
  wrapHandle(app, (handle) => (req, res, callback) => {
    const isMountedByOther = callback !== undefined && !('parent' in app)
    if (isMountedByOther && req.app !== undefined && req.app !== app) {
      app.set('trust proxy fn', req.app.get('trust proxy fn'))
    }
    handle(req, res, callback)
  })
}
