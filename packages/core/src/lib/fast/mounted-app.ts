import { type Express, type Request, type Response } from 'express'
import { adoptServer, isPreset } from './adopt-server.ts'

// From version 13 on (Node 24), V8 shares hidden classes after a change of the prototype.
const sharesClasses = Number.parseInt(process.versions.v8, 10) >= 13

type Done = (error?: unknown) => void

export interface MountedApp {
  /** Prepares a request that was created for another app, or for none. */
  prepare(req: Request, res: Response, isMounted: boolean): void
  /**
   * Runs the app for a request of another app, without the change of prototypes that Express makes. Returns
   * false, and does nothing, if the app needs its prototypes.
   */
  run(req: Request, res: Response, done: Done): boolean
}

// How an app serves the requests of another one. `onSlow` is called once, if the server of the other app
// creates requests that are slow.
export function createMountedApp(app: Express, onSlow: () => void): MountedApp | undefined {
  if (sharesClasses) return undefined
  const ownNames = countNames(app)
  let isSlow = false
  let isExtended: boolean | undefined

  // The other app must be one of Express 5 that has created the request. What the application has added to the
  // prototypes must be there, and an app below this one would not become `req.app`.
  const needsPrototypes = (req: Request): boolean =>
    !isOfExpress5(req) ||
    app.router.stack.length > 1 ||
    app.enabled('x-powered-by') ||
    (isExtended ??= countNames(app) !== ownNames)

  return {
    prepare(req, res, isMounted) {
      if (isPreset(req)) return
      convertToDictionaries(req, res)
      if (adoptServer(req, isMounted ? req.app : app) || !isMounted || isSlow) return
      isSlow = true
      onSlow()
    },
    run(req, res, done) {
      if (needsPrototypes(req)) return false
      const { app: host } = req
      req.app = app
      res.app = app
      app.router(req, res, (error: unknown) => {
        returnTo(host, req, res)
        done(error)
      })
      return true
    },
  }
}

// After an app that is mounted itself, Express changes the prototypes back to those of another one, which have the
// application. Elsewhere nothing is deleted: it would turn the objects into dictionaries, which are slow.
function returnTo(host: Request['app'], req: Request, res: Response): void {
  if (Reflect.get(host, 'parent') === undefined) {
    req.app = host
    res.app = host
  } else {
    Reflect.deleteProperty(req, 'app')
    Reflect.deleteProperty(res, 'app')
  }
}

// Turns a request and its response into dictionaries before their prototypes change. Before V8 13, each
// property added after such a change costs 2 µs and 2 KB for a hidden class of that one object;
// adding it to a dictionary costs almost nothing.
function convertToDictionaries(req: Request, res: Response): void {
  // Deleting a property and adding it again is enough. Express sets these two on each request.
  Reflect.deleteProperty(req, 'res')
  req.res = res
  Reflect.deleteProperty(res, 'req')
  res.req = req
}

function isOfExpress5(req: Request): boolean {
  const host: object | undefined = req.app
  return (
    host !== undefined &&
    'request' in host &&
    host.request === Object.getPrototypeOf(req) &&
    !('lazyrouter' in host)
  )
}

function countNames({ request, response }: Express): number {
  return Reflect.ownKeys(request).length + Reflect.ownKeys(response).length
}
