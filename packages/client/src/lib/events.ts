import { Failure } from './failure.ts'
import { wait } from './wait.ts'

/** One event of a stream (server-sent events, WHATWG HTML). */
export interface ServerEvent {
  /** Id of the event, if it has one. */
  readonly id: string | undefined
  /** Name of the event, `message` if it has none. */
  readonly event: string
  /** Data of the event, as text. */
  readonly data: string
}

/** Requests a stream of events, with these header fields; `data` is the body as a stream. */
export type OpenStream = (
  headers: Readonly<Record<string, string>>,
) => Promise<{ readonly data: unknown; readonly response: Response }>

/** The type of {@link readEvents}, and of functions that read events of one form. */
export type ReadEvents = (open: OpenStream, signal?: AbortSignal | null) => AsyncGenerator

const defaultPause = 3000
const maxPause = 30_000

/**
 * Reads a stream of events, and opens it again after an interruption. Leave the loop to end it.
 * @param open - requests the stream
 * @param signal - ends the stream
 * @yields the events
 * @throws Failure when the server refuses it
 */
export async function* readEvents(
  open: OpenStream,
  signal?: AbortSignal | null,
): AsyncGenerator<ServerEvent> {
  let lastEventId: string | undefined
  let pause = defaultPause
  let failures = 0
  while (!isAborted(signal)) {
    const reply = await open(toHeaders(lastEventId)).catch(rejectUnlessInterrupted)
    failures = reply ? 0 : failures + 1
    // 204 asks the client not to return.
    if (reply?.response.status === 204) return
    for await (const { data, event = 'message', id, retry } of readBlocks(reply?.data, signal)) {
      pause = retry ?? pause
      lastEventId = id ?? lastEventId
      if (data !== undefined) yield { id: lastEventId, event, data }
    }
    await wait(toPause(pause, failures), signal).catch(() => undefined)
  }
}

// At random, because all clients of a service that restarts begin at the same time.
function toPause(pause: number, failures: number): number {
  return Math.min(pause * 2 ** failures, Math.max(pause, maxPause)) * (0.5 + Math.random() / 2)
}

function toHeaders(lastEventId: string | undefined): Record<string, string> {
  return { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) }
}

function isAborted(signal: AbortSignal | null | undefined): boolean {
  return signal?.aborted === true
}

export function rejectUnlessInterrupted(error: unknown): undefined {
  if (!isInterruption(error)) throw error
}

// Whether another attempt may succeed.
function isInterruption(error: unknown): boolean {
  return (
    error instanceof Failure &&
    (/^(network_error|timed_out|aborted)$/.test(error.code) ||
      [429, 502, 503, 504].includes(error.status))
  )
}

interface Block {
  id?: string
  event?: string
  data?: string
  retry?: number
}

// Ends where the stream is interrupted.
async function* readBlocks(
  body: unknown,
  signal: AbortSignal | null | undefined,
): AsyncGenerator<Block> {
  if (!(body instanceof ReadableStream)) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  const cancel = (): void => void reader.cancel().catch(() => undefined)
  let rest = ''
  // The signal of a request ends with the head of its response.
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted) cancel()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: '' }))
      if (done) return
      const blocks = (rest + value).split(/\r\n\r\n|\n\n|\r\r/)
      rest = blocks.pop() ?? ''
      yield* blocks.map(parseBlock)
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}

function parseBlock(text: string): Block {
  const block: Block = {}
  for (const line of text.split(/\r\n|\n|\r/)) {
    const [, field, value = ''] = /^(\w+)(?:: ?(.*))?$/.exec(line) ?? []
    if (field === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`
    if (field === 'id') block.id = value
    if (field === 'event') block.event = value
    if (field === 'retry' && /^\d+$/.test(value)) block.retry = Number(value)
  }
  return block
}
