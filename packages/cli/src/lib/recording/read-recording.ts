import { createReadStream } from 'node:fs'
import { CliError } from '../errors/cli-error.ts'
import { type Exchange, type RecordingHead, recordingVersion } from './recording.ts'

export interface RecordedLine {
  /** From 1. */
  readonly line: number
  readonly exchange: Exchange
}

export interface ReadOptions {
  /** Called if the last line is incomplete, because its writer was stopped. */
  readonly onIncomplete?: (() => void) | undefined
}

const maxLine = 256 * 1024 * 1024

// Reads a recording line by line. Throws CliError for a line that is not one of a recording.
export async function* readRecording(
  file: string,
  { onIncomplete }: ReadOptions = {},
): AsyncGenerator<RecordedLine> {
  let line = 0
  for await (const { isLast, text } of readLines(file)) {
    line += 1
    if (text.trim() === '') continue
    const value = parseLine(text)
    if (value === undefined && isLast && line > 1) {
      onIncomplete?.()
      continue
    }
    if (line === 1) requireHead(value, file)
    else yield { line, exchange: requireExchange(value, `${file} line ${line}`) }
  }
  if (line === 0) throw invalid(`${file} is empty`)
}

async function* readLines(file: string): AsyncGenerator<{ text: string; isLast: boolean }> {
  let rest: Buffer[] = []
  let size = 0
  const stream: AsyncIterable<Buffer> = createReadStream(file)
  for await (const chunk of stream) {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      yield {
        text: Buffer.concat([...rest, chunk.subarray(from, end)]).toString('utf8'),
        isLast: false,
      }
      rest = []
      size = 0
      from = end + 1
    }
    rest.push(chunk.subarray(from))
    size += chunk.length - from
    if (size > maxLine) throw invalid(`${file} has a line with more than ${maxLine} bytes`)
  }
  if (size > 0) yield { text: Buffer.concat(rest).toString('utf8'), isLast: true }
}

function parseLine(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function invalid(message: string): CliError {
  return new CliError('INVALID_DOCUMENT', message, { hint: 'create a recording: npx api record' })
}

function requireHead(value: unknown, file: string): void {
  const { recording }: Partial<RecordingHead> = Object(value)
  if (recording === recordingVersion) return
  if (typeof recording !== 'number') throw invalid(`${file} is not a recording`)
  throw invalid(
    `${file} has version ${recording} of the format; this command reads ${recordingVersion}`,
  )
}

function requireExchange(value: unknown, place: string): Exchange {
  const exchange: Partial<Exchange> = Object(value)
  if (isExchange(exchange)) return exchange
  throw invalid(`${place} is not a request with its response`)
}

function isExchange(exchange: Partial<Exchange>): exchange is Exchange {
  const { failure, request, response } = exchange
  const { method, path } = Object(request)
  if (typeof method !== 'string' || !/^[A-Z][A-Z-]*$/.test(method)) return false
  // What Node sends: no spaces, no line ends, and no other host.
  if (typeof path !== 'string' || !/^(\*$|\/)[\u0021-\u00FF]*$/.test(path)) return false
  if (!isMessage(request)) return false
  if (response === undefined) return typeof failure === 'string'
  return isMessage(response) && Number.isInteger(Object(response).status)
}

const headerName = /^[\w!#$%&'*+.^`|~-]+$/
// eslint-disable-next-line no-control-regex
const headerValue = /^[\t\u0020-\u007E\u0080-\u00FF]*$/

function isMessage(value: unknown): boolean {
  const { body, headers } = Object(value)
  const areHeaders =
    Array.isArray(headers) &&
    headers.every(
      (pair: unknown) =>
        Array.isArray(pair) &&
        pair.length === 2 &&
        headerName.test(String(pair[0])) &&
        typeof pair[1] === 'string' &&
        headerValue.test(pair[1]),
    )
  return areHeaders && (body === undefined || isBody(Object(body)))
}

function isBody(body: object): boolean {
  if ('json' in body) return true
  if ('text' in body) return typeof body.text === 'string'
  return 'base64' in body ? typeof body.base64 === 'string' : 'omitted' in body
}
