import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/** A middleware that sets headers at once, as helmet and cors do. */
type HeaderSetter = (
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void

/**
 * Runs a middleware on a response that is never sent, and reads off it what it set.
 * @param middleware - sets headers
 * @param headers - of the request it sees
 * @returns names and values in turn
 */
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

/**
 * Calls a middleware that does not wait.
 * @param middleware - calls `next` or answers before it returns
 * @param req - the request
 * @param res - its answer
 * @returns whether it called `next`
 * @throws what it handed to `next`
 */
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
