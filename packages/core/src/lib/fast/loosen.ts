import { type Request, type Response } from 'express'

// From version 13 on (Node 24), V8 shares hidden classes after a change of the prototype.
const sharesClasses = Number.parseInt(process.versions.v8, 10) >= 13

// Turns a request and its response into dictionaries before Express changes their prototypes. Before V8
// 13, each property added after such a change costs 2 µs and 2 KB for a hidden class of that one object;
// adding it to a dictionary costs almost nothing.
export function loosen(req: Request, res: Response): void {
  if (sharesClasses) return
  // Deleting a property and adding it again is enough. Express sets these two on each request.
  Reflect.deleteProperty(req, 'res')
  req.res = res
  Reflect.deleteProperty(res, 'req')
  res.req = req
}
