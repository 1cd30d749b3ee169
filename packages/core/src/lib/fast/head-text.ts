// oxlint-disable no-underscore-dangle -- the names of Node's own fields
import { ServerResponse, STATUS_CODES } from 'node:http'

// The fields that Node keeps in a response, and reads when it writes the head. `comparePaths` tests it at startup.
interface HeadFields {
  /** The text of the head; sent with the first piece of the body. */
  _header?: string | null
  _headerSent?: boolean
  readonly _hasBody?: boolean
  readonly _removedConnection?: boolean
  readonly _keepAliveTimeout?: number
  readonly _maxRequestsPerSocket?: number
  readonly _defaultKeepAlive?: boolean
  readonly maxRequestsOnConnectionReached?: boolean
}

export type NodeResponse = ServerResponse & HeadFields

const writeHead: unknown = Reflect.get(ServerResponse.prototype, 'writeHead')
// An instrumentation that was loaded before has replaced it.
const isOriginal = String(writeHead).includes('_storeHeader')

interface Text {
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: string
  /** The prototype of `res`. */
  readonly base: object
}

// Sets head and body, an ASCII text, as one text that `end()` sends. The head is what Node's own `writeHead`
// makes of the same headers; it checks and searches each of them for every response. Returns false, and
// does nothing, if `base` has another `writeHead`, or if Node's would do more than this.
export function setText(res: NodeResponse, { headers, body, base }: Text): boolean {
  if (!isOriginal || Reflect.get(base, 'writeHead') !== writeHead) return false
  const message = STATUS_CODES[res.statusCode]
  if (message === undefined || !hasOwnBody(res) || !staysOpen(res)) return false
  let head = `HTTP/1.1 ${res.statusCode} ${message}\r\n`
  let hasLength = false
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ''
    if (name === 'Content-Length') hasLength = true
    else if (isSpecial(name)) return false
    head += `${name}: ${headers[index + 1]}\r\n`
  }
  if (!hasLength) return false
  head += `Date: ${currentDate()}\r\nConnection: keep-alive\r\n${toKeepAlive(res)}\r\n`
  res.statusMessage = message
  res._header = head + body
  res._headerSent = false
  return true
}

function hasOwnBody(res: NodeResponse): boolean {
  return (
    res._header === null &&
    res._hasBody === true &&
    res.statusCode >= 200 &&
    res.statusCode !== 204 &&
    res.statusCode !== 304 &&
    !res.statusMessage &&
    !res.strictContentLength &&
    res.sendDate
  )
}

function staysOpen(res: NodeResponse): boolean {
  return (
    res.shouldKeepAlive &&
    res._removedConnection === false &&
    res.maxRequestsOnConnectionReached === false &&
    !res._maxRequestsPerSocket &&
    res.req.headers.expect === undefined
  )
}

const special = ['date', 'expect', 'trailer', 'connection', 'content-length', 'transfer-encoding']
const specialNames = new Set(special)
const specialLengths = new Set(special.map((name) => name.length))

// Whether Node acts on a header. Most names differ in length.
function isSpecial(name: string): boolean {
  return specialLengths.has(name.length) && specialNames.has(name.toLowerCase())
}

function toKeepAlive({
  _keepAliveTimeout: timeout,
  _defaultKeepAlive: isDefault,
}: NodeResponse): string {
  if (!timeout || isDefault !== true) return ''
  return `Keep-Alive: timeout=${Math.floor(timeout / 1000)}\r\n`
}

let dateSecond = 0
let dateText = ''

function currentDate(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    dateText = new Date(second * 1000).toUTCString()
  }
  return dateText
}
