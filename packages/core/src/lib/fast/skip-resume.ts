import { type IncomingMessage, type ServerResponse } from 'node:http'
import { type Request } from 'express'

type Target = IncomingMessage & { res?: ServerResponse }

// Skips the end of requests without a body. After the response, Node resumes each request that was not
// read, to take the rest of its body off the connection; without a body that is two rounds of events
// without a listener. A request with a body, or with a listener, is still resumed.
export function skipResume(request: Request): void {
  // Read at each call: mounting an app changes the prototype of its `request`.
  const base = (): IncomingMessage => Object.getPrototypeOf(request)
  Object.defineProperty(request, 'resume', {
    value(this: Target) {
      return hasNothingToResume(this) ? this : base().resume.call(this)
    },
    writable: true,
    configurable: true,
  })
  // Node keeps a request that has not ended for as long as its connection is idle.
  Object.defineProperty(request, 'readableEnded', {
    get(this: Target) {
      return Reflect.get(base(), 'readableEnded', this) || hasNothingToResume(this)
    },
    configurable: true,
  })
}

function hasNothingToResume(req: Target): boolean {
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
