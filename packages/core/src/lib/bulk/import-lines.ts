import { type Request, type Response } from 'express'
import { pipeline } from 'node:stream'
import { ApiError } from '../errors/api-error.ts'
import { createIncompleteError } from '../errors/body-errors.ts'
import { toPointer } from '../errors/to-pointer.ts'
import {
  type Decompressor,
  defaultBodyLimit,
  defaultMaxDepth,
  findDecompressor,
} from '../http/body-parser.ts'
import { readLongNumbers } from '../http/long-numbers.ts'
import { parseJson } from '../http/parse-json.ts'
import { parseSize } from '../options/parse-size.ts'
import { forgetCaller } from '../routing/require-access.ts'
import { allowAnyTime } from '../stage/request-body.ts'
import { untilDrained } from '../streams/until-drained.ts'
import { createPace } from './pace.ts'
import { readLines } from './read-lines.ts'
import { type ItemResult, type ItemRunner } from './run-item.ts'

export const linesMediaType = 'application/x-ndjson'

const callerMs = 5000

export interface ReadOptions {
  readonly bodyLimit: number | string
  /** In milliseconds. */
  readonly idleTimeout: number
}

// Runs the items of a body of lines, each when its line has arrived, and sends a line with its result before the next one is
// taken. Neither body nor response is held in memory. The last line is the report.
export async function importLines(
  res: Response,
  runner: ItemRunner,
  { bodyLimit, idleTimeout }: ReadOptions,
): Promise<void> {
  const { req } = res
  rejectUnsuitable(req)
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  const watch = watchClient(req, idleTimeout)
  allowAnyTime(req, true)
  try {
    await sendResults(res, { bodyLimit, gone: gone.signal, runner, wait: watch.wait })
  } catch (error) {
    if (error instanceof ApiError) throw error
    // The client has disconnected. What was done stays done.
    if (!gone.signal.aborted && !req.destroyed) throw error
    if (!res.headersSent) throw createIncompleteError()
    res.destroy()
  } finally {
    watch.stop()
    allowAnyTime(req, false)
  }
}

interface Import extends Pick<ReadOptions, 'bodyLimit'> {
  readonly runner: ItemRunner
  readonly gone: AbortSignal
  /** Waits for the client. */
  readonly wait: <T>(pending: Promise<T>) => Promise<T>
}

async function sendResults(
  res: Response,
  { bodyLimit, runner, gone, wait }: Import,
): Promise<void> {
  const { req } = res
  const { maxBytes, toItem } = createItemReader(req)
  const lines = readLines(openBody(req, parseSize(bodyLimit, 'bodyLimit')), maxBytes)
  const pace = createPace()
  const report = { lines: 0, succeeded: 0, failed: 0 }
  const send = async (line: object): Promise<void> => {
    if (!res.headersSent) res.setHeader('Content-Type', linesMediaType)
    if (!res.write(`${JSON.stringify(line)}\n`)) await wait(untilDrained(res, gone))
  }
  let loadedAt = performance.now()
  for (;;) {
    const next = await wait(lines.next())
    if (next.done || gone.aborted) break
    if (performance.now() - loadedAt > callerMs) {
      forgetCaller(req)
      loadedAt = performance.now()
    }
    const { bytes, number } = next.value
    const result = await settleLine(runner, () => toItem(bytes))
    report.lines++
    report[result.status < 400 ? 'succeeded' : 'failed']++
    await send({ line: number, ...result })
    await pace()
  }
  if (gone.aborted) return
  await send({ report })
  res.end()
}

interface ItemReader {
  /** Most bytes of a line. */
  readonly maxBytes: number
  readonly toItem: (bytes: Buffer | undefined) => Parameters<ItemRunner['settle']>[0]
}

function createItemReader(req: Request): ItemReader {
  const { body: limits = {} } = req.endpoint?.items ?? {}
  const { dollarNames = false, limit = defaultBodyLimit, maxDepth = defaultMaxDepth } = limits
  const maxBytes = parseSize(limit, 'limit')
  const options = { dollarNames, maxDepth: maxDepth + 1, unchecked: true }
  return {
    maxBytes,
    toItem(bytes) {
      if (!bytes) {
        const detail = `At most ${maxBytes} bytes are allowed in a line.`
        throw new ApiError('payload_too_large', { detail })
      }
      let longNumbers: unknown
      const value = parseJson(bytes, options, (text) => (longNumbers = readLongNumbers(text)))
      return { value, longNumbers, path: [] }
    },
  }
}

function settleLine(
  { settle, refuse }: ItemRunner,
  read: () => ReturnType<ItemReader['toItem']>,
): Promise<ItemResult> {
  try {
    return settle(read())
  } catch (error) {
    return refuse(error)
  }
}

// Throws for what does not apply to lines.
function rejectUnsuitable(req: Request): void {
  const [name] = new URLSearchParams(req.originalUrl.replace(/^[^?]*/, '')).keys()
  if (name !== undefined) {
    const detail =
      name === 'atomic'
        ? `is only for JSON: each line of ${linesMediaType} is stored when it has arrived`
        : 'is not allowed'
    const item = {
      in: 'query',
      pointer: toPointer([name]),
      code: 'unrecognized_key',
      detail,
    } as const
    throw new ApiError('invalid_query', { errors: [item] })
  }
  if (req.headers['idempotency-key'] === undefined) return
  const detail = `is only for JSON: the results of ${linesMediaType} are not kept`
  const pointer = '#/Idempotency-Key'
  throw new ApiError('bad_request', {
    errors: [{ in: 'header', pointer, code: 'unrecognized_key', detail }],
  })
}

function openBody(req: Request, limit: number): AsyncIterable<Buffer> {
  const decompressor = findDecompressor(req)?.()
  if (!decompressor) return req
  // The reader gets the error.
  pipeline(req, decompressor, () => {})
  return limitInflation(decompressor, limit)
}

const maxRatio = 100

// A few bytes could become any number of lines. Lines in JSON are rarely more than 30 times as long as compressed ones.
async function* limitInflation(
  decompressor: Decompressor,
  limit: number,
): AsyncGenerator<Buffer, void> {
  let size = 0
  for await (const chunk of decompressor) {
    size += chunk.length
    if (size > Math.max(limit, maxRatio * decompressor.bytesWritten)) {
      throw new ApiError('payload_too_large', {
        detail: `The decompressed body has more than ${limit} bytes, and more than ${maxRatio} times those received.`,
      })
    }
    yield chunk
  }
}

// Ends the connection of a client that neither sends nor reads for a time.
function watchClient(req: Request, idleTimeout: number): Pick<Import, 'wait'> & { stop(): void } {
  let since: number | undefined
  const timer = setInterval(
    () => {
      if (since !== undefined && performance.now() - since > idleTimeout) req.destroy()
    },
    Math.max(idleTimeout / 10, 10),
  )
  return {
    async wait(pending) {
      since = performance.now()
      const settled = await pending
      since = undefined
      return settled
    },
    stop: () => clearInterval(timer),
  }
}
