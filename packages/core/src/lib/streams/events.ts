import { type Response } from 'express'
import { type output, type ZodType } from 'zod'
import { ApiError } from '../errors/api-error.ts'
import { applicationLog } from '../logging/get-logger.ts'
import { noteCallerStream } from '../route/caller-streams.ts'
import { type ApiRequest } from '../route/request.ts'
import { noteOpenStream } from '../route/open-streams.ts'
import { responseStreams } from '../schemas/schema-marks.ts'
import { requireStream } from './stream.ts'
import { untilDrained } from './until-drained.ts'

declare const eventData: unique symbol

/** The schema of server-sent events whose data is `Data`. */
export type EventsSchema<Data> = ZodType & { readonly [eventData]?: Data }

/** One server-sent event (HTML standard, section 9.2). */
export interface ServerEvent<Data = unknown> {
  /** Its data, sent as JSON; the response schema of the route determines what is sent. */
  readonly data: Data
  /**
   * Sent back by the client as `Last-Event-ID` when it connects again.
   * @default undefined
   */
  readonly id?: string | undefined
  /**
   * Name of the event.
   * @default 'message'
   */
  readonly event?: string | undefined
  /**
   * Milliseconds after which the client connects again.
   * @default undefined, a few seconds
   */
  readonly retry?: number | undefined
}

/** Options for {@link openEvents} and {@link sendEvents}. All times are in milliseconds. */
export interface EventOptions {
  /**
   * Time between the comment lines that keep a connection open. A client with data waiting
   * at two of them in turn is disconnected.
   * @default 15_000
   */
  readonly heartbeat?: number | undefined
  /**
   * Bytes that may wait for a client. One that is slower is disconnected; it connects again and continues
   * after its `Last-Event-ID`.
   * @default 1_048_576
   */
  readonly maxBuffered?: number | undefined
  /**
   * Time after which the stream ends; the client connects again.
   * @default 3_600_000, an hour
   */
  readonly maxAge?: number | undefined
  /**
   * Maximum number of streams of one user in this process; a further one is a 429.
   * @default 20
   */
  readonly maxPerCaller?: number | undefined
}

/** The argument of the function that creates events. */
export interface EventContext {
  /** Aborted when the client has disconnected or lost its access, and when the service shuts down. */
  readonly signal: AbortSignal
  /** The `id` of the last event that the client has received, when it connects again. */
  readonly lastEventId: string | undefined
}

/** An open stream of events to one client. */
export interface EventStream<Data = unknown> extends EventContext {
  /**
   * Sends an event.
   * @param event - its data, id, name
   * @returns a promise that resolves when the client can take more; also if it has disconnected
   * @throws ApiError `internal_error` when the data does not match the schema of the route
   * @throws TypeError when the id or the name has several lines
   */
  send(event: ServerEvent<Data>): Promise<void>
  /** Ends the response. */
  close(): void
}

/**
 * Describes a response of server-sent events, for `response` of a route.
 * @param data - schema of the data of each event
 * @returns the schema of the response
 */
export function events<Schema extends ZodType>(data: Schema): EventsSchema<output<Schema>> {
  // A separate schema, so that the same data can be the response of another route.
  const schema = data.clone()
  responseStreams.add(schema, { type: 'text/event-stream', isEvents: true })
  return schema
}

/**
 * Opens the stream of events of a route with `response: events(…)`, for events that come from elsewhere:
 * keep the stream in a set and call `send`. It ends when the client disconnects, when the service shuts down, and
 * when the route no longer admits the caller: the access is checked again at each heartbeat, and at once when a
 * session, a user or an API key ends in this process.
 * @param res - the response
 * @param options - heartbeat and buffer
 * @returns the stream
 * @throws Error when the response of the route is not `events(…)`
 * @throws ApiError `rate_limited` when the caller has too many open streams
 */
export function openEvents<Data = unknown>(
  res: Response,
  options: EventOptions = {},
): EventStream<Data> {
  const { lastEventId, signal, close, write } = openTextStream(res, options)
  let drained: Promise<void> | undefined
  return {
    signal,
    lastEventId,
    close,
    async send(event) {
      if (signal.aborted) return
      write(formatEvent(event, res))
      // All events that are sent meanwhile share one wait.
      if (res.writableNeedDrain) {
        await (drained ??= untilDrained(res, signal).then(() => (drained = undefined)))
      }
    },
  }
}

// A stream to which the text of events is written, and what depends on its source.
export interface TextStream extends EventContext {
  readonly write: (text: string) => void
  readonly close: () => void
}

export interface StreamHooks {
  /** The text that keeps the connection open. */
  readonly toHeartbeat: () => string
  /** Called each time the route has admitted the caller again. */
  readonly onAdmitted: () => void | Promise<void>
  /** The last text for a client that is too slow; without it, the connection is closed at once. */
  readonly toFarewell?: () => string
}

const plainHooks: StreamHooks = { toHeartbeat: () => ':\n\n', onAdmitted: () => {} }

export function openTextStream(
  res: Response,
  options: EventOptions,
  hooks: StreamHooks = plainHooks,
): TextStream {
  const { heartbeat = 15_000, maxBuffered = 1_048_576, maxAge = 3_600_000 } = options
  const controller = new AbortController()
  const { signal } = controller
  requireStream(res, true)
  const checkAccess = createAccessCheck(res, close, hooks)
  const forgetCaller = noteCaller(res, checkAccess, options.maxPerCaller)
  sendHead(res)

  function close(): void {
    controller.abort()
    if (!res.writableEnded) res.end()
  }

  const timer = startHeartbeat(res, { signal, ms: heartbeat, toText: hooks.toHeartbeat })
  const accessTimer = setInterval(checkAccess, heartbeat)
  const ageTimer = setTimeout(close, maxAge)
  const forget = noteOpenStream(res, close)

  function onClose(): void {
    clearInterval(timer)
    clearInterval(accessTimer)
    clearTimeout(ageTimer)
    forget()
    forgetCaller()
    controller.abort()
  }

  res.once('close', onClose)
  // Not at once: the caller is yet to listen to the signal.
  if (res.closed) queueMicrotask(onClose)
  else if (res.req.method === 'HEAD') queueMicrotask(close)

  return {
    signal,
    lastEventId: String(res.req.headers['last-event-id'] ?? '') || undefined,
    close,
    write(text) {
      if (signal.aborted || res.write(text) || res.writableLength <= maxBuffered) return
      if (hooks.toFarewell) {
        res.write(hooks.toFarewell())
        close()
      } else res.destroy()
    },
  }
}

/**
 * Sends the response of a route with `response: events(…)`: the events of a source, one after another as the
 * client takes them, and comment lines that keep the connection open.
 * @param res - the response
 * @param source - creates the events; a generator that awaits them with `signal`
 * @param options - heartbeat and buffer
 * @returns a promise that resolves when the source has ended or the client has disconnected
 * @throws Error when the response of the route is not `events(…)`, and any error of the source
 * @example
 * ```ts
 * get('/events', { access: 'user', response: events(z.object({ time: z.iso.datetime() })) }, (_req, res) =>
 *   sendEvents(res, async function* ({ signal }) {
 *     while (!signal.aborted) {
 *       yield { data: { time: new Date().toISOString() } }
 *       await new Promise((resolve) => setTimeout(resolve, 1000))
 *     }
 *   }),
 * )
 * ```
 */
export async function sendEvents<Data>(
  res: Response,
  source: (context: EventContext) => AsyncIterable<ServerEvent<Data>>,
  options: EventOptions = {},
): Promise<void> {
  const opened = openEvents<Data>(res, options)
  const { lastEventId, signal } = opened
  try {
    // A stream that cannot be used is closed by then.
    await Promise.resolve()
    if (!signal.aborted) {
      for await (const event of source({ lastEventId, signal })) {
        if (signal.aborted) break
        await opened.send(event)
      }
    }
  } catch (error) {
    // An error that a source throws because of the signal is not a failure.
    if (!signal.aborted) throw error
  }
  opened.close()
}

// Ends a stream whose caller the route no longer admits. A check that fails for another reason, such as a
// database that does not respond, says nothing about the caller; the next one will.
function createAccessCheck(
  res: Response,
  close: () => void,
  { onAdmitted }: StreamHooks,
): () => void {
  const { req } = res
  const check = req.endpoint?.checkAccess
  if (!check) return () => {}
  let isRunning = false
  let isOutdated = false
  let isFailing = false

  async function run(): Promise<void> {
    isRunning = true
    do {
      isOutdated = false
      try {
        await check?.(req)
        await onAdmitted()
        isFailing = false
      } catch (error) {
        if (error instanceof ApiError && error.status < 500) close()
        else if (!isFailing) {
          const fields = { requestId: req.id, err: error }
          applicationLog.warn(fields, 'access of a stream not checked')
        }
        isFailing = true
      }
    } while (isOutdated)
    isRunning = false
  }

  return () => {
    // A check that is running may have read what was there before the change.
    if (isRunning) isOutdated = true
    else void run()
  }
}

function noteCaller(
  { req }: { readonly req: ApiRequest },
  check: () => void,
  max = 20,
): () => void {
  return req.user ? noteCallerStream(req.user.id, check, max) : () => {}
}

interface Heartbeat {
  readonly signal: AbortSignal
  readonly ms: number
  readonly toText: () => string
}

// Sends comment lines while the stream is open, and disconnects a client with data waiting at two of their
// times in turn, also after the end.
function startHeartbeat(res: Response, { signal, ms, toText }: Heartbeat): NodeJS.Timeout {
  let wasWaiting = false
  return setInterval(() => {
    const isWaiting = signal.aborted ? res.writableLength > 0 : res.writableNeedDrain
    if (wasWaiting && isWaiting) res.destroy()
    else if (!signal.aborted) res.write(toText())
    wasWaiting = isWaiting
  }, ms)
}

function sendHead(res: Response): void {
  res.setHeader('Content-Type', 'text/event-stream')
  // Neither caches nor compression may hold events back.
  res.setHeader('Cache-Control', 'no-cache, no-transform')
  // nginx buffers responses otherwise.
  res.setHeader('X-Accel-Buffering', 'no')
  res.flushHeaders()
  res.socket?.setNoDelay(true)
}

function formatEvent({ data, event, id, retry }: ServerEvent, res: Response): string {
  const { endpoint } = res.req
  const json = endpoint ? endpoint.render(data, undefined, 200, res.req) : JSON.stringify(data)
  return (
    (retry === undefined ? '' : `retry: ${requireLine('retry', String(retry))}\n`) +
    (event === undefined ? '' : `event: ${requireLine('event', event)}\n`) +
    (id === undefined ? '' : `id: ${requireLine('id', id)}\n`) +
    `data: ${json}\n\n`
  )
}

function requireLine(name: string, text: string): string {
  if (!/[\r\n\0]/.test(text)) return text
  throw new TypeError(`The ${name} of an event must be one line.`)
}
