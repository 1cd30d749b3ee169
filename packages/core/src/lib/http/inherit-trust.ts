import { type Express } from 'express'
import { ignorePorts } from '../address/forwarded-address.ts'
import { wrapHandle } from '../stage/wrap-handle.ts'

// Lets an app trust the proxies that its host trusts. `host.use(app)` does so in Express itself; a
// router or a function between the two does not tell the app that it is mounted.
export function inheritTrust(app: Express): void {
  let inherited: unknown
  wrapHandle(app, (handle) => (req, res, callback) => {
    const isMountedByOther = callback !== undefined && !('parent' in app)
    if (isMountedByOther && req.app !== undefined && req.app !== app) {
      const trust = req.app.get('trust proxy fn')
      if (trust !== inherited) app.set('trust proxy fn', ignorePorts(trust))
      inherited = trust
    }
    handle(req, res, callback)
  })
}
