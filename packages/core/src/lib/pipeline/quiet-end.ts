import { type IncomingMessage, type ServerResponse } from 'node:http'
import { type Request } from 'express'

type Target = IncomingMessage & { res?: ServerResponse }

/**
 * Spares the requests of an app the end of a body that never was. When an answer is out, Node
 * resumes a request that nobody has read, so that what is left of it comes off the wire: without a
 * body that is two turns of events which nobody hears. Whoever listens, before the answer is out,
 * hears them as ever; a request with a body is always resumed.
 * @param request - `app.request`
 */
export function installQuietEnd(request: Request): void {
  // Read at each call: mounting an app changes the prototype of its `request`.
  const base = (): IncomingMessage => Object.getPrototypeOf(request)
  Object.defineProperty(request, 'resume', {
    value(this: Target) {
      return isUnheard(this) ? this : base().resume.call(this)
    },
    writable: true,
    configurable: true,
  })
  // Node keeps a request for as long as its connection is idle, unless it has ended.
  Object.defineProperty(request, 'readableEnded', {
    get(this: Target) {
      return Reflect.get(base(), 'readableEnded', this) || isUnheard(this)
    },
    configurable: true,
  })
}

function isUnheard(req: Target): boolean {
  const { res, headers } = req
  return (
    res?.writableFinished === true &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    req.listenerCount('close') === 0 &&
    req.listenerCount('end') === 0 &&
    req.listenerCount('readable') === 0
  )
}
