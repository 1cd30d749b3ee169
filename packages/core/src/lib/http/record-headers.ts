import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

// A middleware that sets headers synchronously, as helmet and cors do.
type HeaderSetter = (
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void

// Runs a middleware on a response that is never sent and returns the headers it set: names and values in
// turn. `headers` are those of the request.
export function recordHeaders(
  middleware: HeaderSetter,
  headers: Readonly<Record<string, string>> = {},
): string[] {
  const req = new IncomingMessage(new Socket())
  req.method = 'GET'
  Object.assign(req.headers, headers)
  const res = new ServerResponse(req)
  const names = new Set<string>()
  const setHeader = res.setHeader.bind(res)
  res.setHeader = (name, value) => {
    names.add(name)
    return setHeader(name, value)
  }
  runNow(middleware, req, res)
  const kept = [...names].filter((name) => res.hasHeader(name))
  return kept.flatMap((name) => [name, String(res.getHeader(name))])
}

// Calls a synchronous middleware. Returns whether it called `next`, and throws what it passed to `next`.
export function runNow<Req, Res>(
  middleware: (req: Req, res: Res, next: (error?: unknown) => void) => void,
  req: Req,
  res: Res,
): boolean {
  let passed = false
  let failure: unknown
  middleware(req, res, (error) => {
    passed = true
    failure = error
  })
  if (failure !== undefined && failure !== null) throw failure
  return passed
}
