import {
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http'
import { type Response } from 'express'
import { type NodeResponse, setText } from './head-text.ts'

// The field that holds the deferred headers of a response. `createConstructors` declares it, so that all
// responses share one hidden class.
export const deferredField = Symbol('deferred headers')

// The field that holds the `Cache-Control` of a response that does not set its own; also declared by
// `createConstructors`.
export const cachingField = Symbol('default Cache-Control')

const ownSetHeader = Symbol('own setHeader')
const ownWriteHead = Symbol('own writeHead')

interface Deferring {
  // Names and values in turn; undefined before the first, null once they are ordinary headers.
  [deferredField]?: string[] | null | undefined
  [cachingField]?: string | undefined
  // The `setHeader` that knows of deferred headers; undefined where they are not installed.
  [ownSetHeader]?: unknown
  [ownWriteHead]?: unknown
  // Missing in the types of Node.
  getRawHeaderNames?(): string[]
}

type Target = NodeResponse & Deferring

// Sets headers, names and values in turn, known to be valid. In an app with `installDeferredHeaders` they
// wait in a list and are passed to `writeHead` at once; in any other they are set one by one.
export function deferHeaders(res: Response, pairs: readonly string[]): void {
  const target = res as Target
  const list = target[deferredField]
  if (isWaiting(target, list)) merge(list, pairs)
  else if (list === undefined && isUntouched(target)) target[deferredField] = pairs.slice()
  else setAll(target, pairs)
}

// Sets one header that the response may have already. The name is known to be valid.
export function setKnownHeader(res: Response, name: string, value: string): void {
  validateHeaderValue(name, value)
  setKnown(res as Target, name, value)
}

// Sets the `Cache-Control` of a response that does not set its own. It is added when the head is sent:
// `express.static` and `res.sendFile` set theirs only where there is none. Undefined adds none.
export function setDefaultCaching(res: Response, value: string | undefined): void {
  const target = res as Target
  const isSet = target[cachingField] !== undefined
  target[cachingField] = value
  // In an app with `installDeferredHeaders`, `writeHead` adds it, unless it was replaced before.
  const isAdded = target[ownSetHeader] !== undefined && !Object.hasOwn(target, 'writeHead')
  if (isSet || isAdded || value === undefined) return
  const writeHead = target.writeHead.bind(target)
  target.writeHead = (...args: unknown[]) => {
    addDefaultCaching(target)
    return Reflect.apply(writeHead, target, args)
  }
}

export function getDefaultCaching(res: Response): string | undefined {
  return (res as Target)[cachingField]
}

// Turns the deferred headers into ordinary ones, for a response that leaves the app.
export function settleHeaders(res: Response): void {
  settle(res as Target)
}

// Removes the deferred headers, for a response that leaves the app without any.
export function dropHeaders(res: Response): void {
  const target = res as Target
  if (isWaiting(target, target[deferredField])) target[deferredField] = null
}

// Lets the responses of an app defer their headers. To everything that runs in the app they look like
// ordinary headers: they can be read, changed and removed until the head is sent, and read afterwards.
export function installDeferredHeaders(response: Response): void {
  const prototype = response as Target
  // Read at each call: mounting an app changes the prototype of its `response`.
  const base = (): Target => Object.getPrototypeOf(prototype)
  const methods = { ...readers(base), ...writers(base) }
  prototype[ownSetHeader] = methods.setHeader
  prototype[ownWriteHead] = methods.writeHead
  for (const [name, value] of Object.entries(methods)) define(prototype, name, value)
  // The old name of `writeHead`, which Node 26 has removed.
  if ('writeHeader' in base()) define(prototype, 'writeHeader', methods.writeHead)
}

function define(prototype: Target, name: string, value: unknown): void {
  Object.defineProperty(prototype, name, { value, writable: true, configurable: true })
}

function readers(base: () => Target): Partial<Target> & ThisType<Target> {
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
    getRawHeaderNames(): string[] {
      const list = this[deferredField]
      if (list === undefined || list === null) return base().getRawHeaderNames?.call(this) ?? []
      return list.filter((_text, index) => index % 2 === 0)
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

function writers(base: () => Target): Partial<Target> & ThisType<Target> {
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
      // Node must know of removed headers that it would add itself, such as `Date`.
      base().removeHeader.call(this, name)
      if (!isWaiting(this, list)) return
      const index = indexOf(list, name)
      if (index >= 0) list.splice(index, 2)
    },
    writeHead(status: number, ...rest: unknown[]): Target {
      addDefaultCaching(this)
      const list = this[deferredField]
      if (isWaiting(this, list)) {
        if (rest.length === 0) return writeList(base(), this, status, list)
        settle(this)
      }
      return Reflect.apply(Reflect.get(base(), 'writeHead'), this, [status, ...rest])
    },
    end(...args: unknown[]): Target {
      const [text, encoding] = args
      if (args.length === 2 && typeof text === 'string' && encoding === 'latin1') {
        if (endWithText(base(), this, text)) return this
      }
      return Reflect.apply(Reflect.get(base(), 'end'), this, args)
    },
  }
}

// Sends an ASCII text with the head in one write. Node makes another one for the end of the response.
function endWithText(base: Target, res: Target, body: string): boolean {
  // A replaced `writeHead` must be called.
  if (Reflect.get(res, 'writeHead') !== res[ownWriteHead]) return false
  addDefaultCaching(res)
  const headers = res[deferredField]
  if (!isWaiting(res, headers) || !setText(res, { headers, body, base })) return false
  Reflect.apply(Reflect.get(base, 'end'), res, [])
  return true
}

// If a header was ever set on the response, even one removed since, Node's `writeHead` calls
// `removeHeader` and `appendHeader`, which must not see the list then.
function writeList(base: Target, res: Target, status: number, list: string[]): Target {
  res[deferredField] = null
  try {
    return base.writeHead.call<Target, [number, string[]], Target>(res, status, list)
  } finally {
    res[deferredField] = list
  }
}

function addDefaultCaching(res: Target): void {
  const value = res[cachingField]
  if (value === undefined || res.headersSent || res.hasHeader('Cache-Control')) return
  setKnown(res, 'Cache-Control', value)
}

function isWaiting(res: Target, list: string[] | null | undefined): list is string[] {
  return list !== undefined && list !== null && !res.headersSent
}

function isUntouched(res: Target): boolean {
  // A replaced `setHeader` must see every header. A `writeHead` replaced before the request entered this
  // app calls one that does not know of deferred headers.
  return (
    res[ownSetHeader] !== undefined &&
    res[ownSetHeader] === res.setHeader &&
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

function setKnown(res: Target, name: string, value: string): void {
  const list = res[deferredField]
  // A replaced `setHeader` must see every header.
  if (isWaiting(res, list) && res.setHeader === res[ownSetHeader]) replace(list, name, value)
  else res.setHeader(name, value)
}

// A stage that is used twice replaces its headers.
function merge(list: string[], pairs: readonly string[]): void {
  // The names of the pairs differ from one another.
  const end = list.length
  for (let index = 0; index < pairs.length; index += 2) {
    const name = pairs[index] ?? ''
    const value = pairs[index + 1] ?? ''
    const known = indexOf(list, name, end)
    if (known < 0) list.push(name, value)
    else list[known + 1] = value
  }
}

function replace(list: string[], name: string, value: string): void {
  const index = indexOf(list, name)
  if (index >= 0) list[index + 1] = value
  else list.push(name, value)
}

// Returns the position of the name in the list, or -1. The value follows it.
function indexOf(list: readonly string[], name: string, end = list.length): number {
  for (let index = 0; index < end; index += 2) {
    if (isSameName(list[index] ?? '', name)) return index
  }
  return -1
}

// Most names differ in length or first letter; `toLowerCase` is expensive.
function isSameName(one: string, other: string): boolean {
  if (one === other) return true
  return (
    one.length === other.length &&
    (one.charCodeAt(0) | 0x20) === (other.charCodeAt(0) | 0x20) &&
    one.toLowerCase() === other.toLowerCase()
  )
}
