import {
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http'
import { type Response } from 'express'

/**
 * The field of a response that holds its deferred headers. A server that makes its own responses
 * declares it in the constructor, so that all of them share one hidden class.
 */
export const deferredField = Symbol('deferred headers')

const knows = Symbol('knows deferred headers')

interface Deferring {
  /** Flat: name, value. Undefined before the first, null once they are ordinary headers. */
  [deferredField]?: string[] | null | undefined
  /** The `setHeader` that knows of them. */
  [knows]?: unknown
}

type Target = ServerResponse & Deferring

/**
 * Sets headers whose names are new to the response. On a response of an app prepared by
 * {@link installDeferredHeaders} they wait in a list and go out with the head, in one call; on any
 * other they are set at once.
 * @param res - the response
 * @param pairs - names and values in turn, known to be valid
 */
export function deferHeaders(res: Response, pairs: readonly string[]): void {
  const target = res as Target
  const list = target[deferredField]
  if (isWaiting(target, list)) for (const text of pairs) list.push(text)
  else if (list === undefined && isUntouched(target)) target[deferredField] = pairs.slice()
  else setAll(target, pairs)
}

/**
 * Sets one header, whose name may be there already.
 * @param res - the response
 * @param name - known to be valid
 * @param value - known to be valid
 */
export function setKnownHeader(res: Response, name: string, value: string): void {
  const target = res as Target
  const list = target[deferredField]
  // Whoever replaced `setHeader` wants to see every header.
  if (!isWaiting(target, list) || target.setHeader !== target[knows]) {
    target.setHeader(name, value)
    return
  }
  replace(list, name, value)
}

/**
 * Makes the deferred headers ordinary ones, for a response that leaves the prepared app.
 * @param res - the response
 */
export function settleHeaders(res: Response): void {
  settle(res as Target)
}

/**
 * Lets the responses of an app defer their headers. For everything that runs in the app they
 * look like ordinary headers: it can read, change and remove them until the head is sent, and
 * read them afterwards.
 * @param response - `app.response`
 */
export function installDeferredHeaders(response: Response): void {
  const prototype = response as Target
  // Read at each call: mounting an app changes the prototype of its `response`.
  const base = (): ServerResponse => Object.getPrototypeOf(prototype)
  const methods = { ...readers(base), ...writers(base) }
  prototype[knows] = methods.setHeader
  for (const [name, value] of Object.entries(methods)) {
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true })
  }
}

function readers(base: () => ServerResponse): Partial<Target> & ThisType<Target> {
  return {
    getHeader(name: string): OutgoingHttpHeader | undefined {
      const list = this[deferredField]
      if (list === undefined || list === null) return base().getHeader.call(this, name)
      const index = indexOf(list, name)
      return index < 0 ? undefined : list[index + 1]
    },
    hasHeader(name: string): boolean {
      const list = this[deferredField]
      if (list === undefined || list === null) return base().hasHeader.call(this, name)
      return indexOf(list, name) >= 0
    },
    getHeaderNames(): string[] {
      const list = this[deferredField]
      if (list === undefined || list === null) return base().getHeaderNames.call(this)
      return list.filter((_text, index) => index % 2 === 0).map((name) => name.toLowerCase())
    },
    getHeaders(): OutgoingHttpHeaders {
      const list = this[deferredField]
      if (list === undefined || list === null) return base().getHeaders.call(this)
      const headers: OutgoingHttpHeaders = Object.create(null)
      for (let index = 0; index < list.length; index += 2) {
        headers[String(list[index]).toLowerCase()] = list[index + 1]
      }
      return headers
    },
  }
}

function writers(base: () => ServerResponse): Partial<Target> & ThisType<Target> {
  return {
    setHeader(name: string, value: number | string | readonly string[]): Target {
      const list = this[deferredField]
      if (isWaiting(this, list) && (typeof value === 'string' || typeof value === 'number')) {
        const text = String(value)
        validateHeaderName(name)
        validateHeaderValue(name, text)
        const index = indexOf(list, name)
        if (index >= 0) list[index + 1] = text
        else list.push(name, text)
        return this
      }
      settle(this)
      base().setHeader.call(this, name, value)
      return this
    },
    appendHeader(name: string, value: string | readonly string[]): Target {
      settle(this)
      base().appendHeader.call(this, name, value)
      return this
    },
    removeHeader(name: string): void {
      const list = this[deferredField]
      // Node notes the removal of the headers it would add by itself, so it has to hear of it.
      base().removeHeader.call(this, name)
      if (!isWaiting(this, list)) return
      const index = indexOf(list, name)
      if (index >= 0) list.splice(index, 2)
    },
    writeHead(status: number, ...rest: unknown[]): Target {
      const list = this[deferredField]
      if (isWaiting(this, list)) {
        if (rest.length === 0) return writeList(base(), this, { status, list })
        settle(this)
      }
      return Reflect.apply(Reflect.get(base(), 'writeHead'), this, [status, ...rest])
    },
  }
}

// Where a header was ever set on the response, even one that is gone, Node goes through
// `removeHeader` and `appendHeader`: for them there is no list meanwhile.
function writeList(
  base: ServerResponse,
  res: Target,
  { status, list }: { status: number; list: string[] },
): Target {
  res[deferredField] = null
  try {
    return base.writeHead.call(res, status, list) as Target
  } finally {
    res[deferredField] = list
  }
}

function isWaiting(res: Target, list: string[] | null | undefined): list is string[] {
  return list !== undefined && list !== null && !res.headersSent
}

function isUntouched(res: Target): boolean {
  // Whoever replaced `setHeader` wants to see every header; whoever replaced `writeHead` before the
  // request came into this app calls one that knows of no deferred headers.
  return (
    res[knows] !== undefined &&
    res[knows] === res.setHeader &&
    !Object.hasOwn(res, 'writeHead') &&
    !res.headersSent &&
    res.getHeaderNames().length === 0
  )
}

function settle(res: Target): void {
  const list = res[deferredField]
  if (!isWaiting(res, list)) return
  res[deferredField] = null
  setAll(res, list)
}

function setAll(res: ServerResponse, pairs: readonly string[]): void {
  for (let index = 0; index < pairs.length; index += 2) {
    res.setHeader(String(pairs[index]), String(pairs[index + 1]))
  }
}

function replace(list: string[], name: string, value: string): void {
  const index = indexOf(list, name)
  if (index >= 0) list[index + 1] = value
  else list.push(name, value)
}

// Position of the name in the list, or -1. The value stands behind it.
function indexOf(list: readonly string[], name: string): number {
  for (let index = 0; index < list.length; index += 2) {
    if (isSameName(list[index] ?? '', name)) return index
  }
  return -1
}

// Most differ in length or in the first letter; lower case is dear.
function isSameName(one: string, other: string): boolean {
  if (one === other) return true
  return (
    one.length === other.length &&
    (one.charCodeAt(0) | 0x20) === (other.charCodeAt(0) | 0x20) &&
    one.toLowerCase() === other.toLowerCase()
  )
}
