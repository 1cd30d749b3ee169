import { type Request, type Response } from 'express'

// V8 since 13, of Node 24, follows properties that are added behind a change of the prototype.
const followsChanges = Number.parseInt(process.versions.v8, 10) >= 13

/**
 * Makes dictionaries of a request and its response whose prototypes Express is about to change. Before
 * V8 13 each property that is added behind such a change gives that one object another hidden class,
 * at 2 µs and 2 KB; a dictionary just takes it.
 * @param req - the request; its properties stay what they are
 * @param res - its response
 */
export function loosen(req: Request, res: Response): void {
  if (followsChanges) return
  // One that is gone and comes back does it; Express sets these two itself.
  Reflect.deleteProperty(req, 'res')
  req.res = res
  Reflect.deleteProperty(res, 'req')
  res.req = req
}
