import { type IncomingMessage, type ServerResponse } from 'node:http'

// The client sends the body after a 100 (RFC 9110 section 10.1.1), so that a request without access, or with a body that
// is too large, costs no transfer. Node would send the 100 before it calls the app.
export function continueWhenRead(req: IncomingMessage, res: ServerResponse): void {
  const { shouldKeepAlive } = res
  // Without a 100 the client may still send the body, where the server would expect the next request.
  res.shouldKeepAlive = false
  const onListener = (event: string | symbol): void => {
    if (event !== 'data' && event !== 'readable') return
    req.off('newListener', onListener)
    if (res.headersSent) return
    res.shouldKeepAlive = shouldKeepAlive
    res.writeContinue()
  }
  req.on('newListener', onListener)
}
