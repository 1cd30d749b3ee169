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

/** The type of {@link readEvents}. */
export type ReadEvents = (
  open: OpenStream,
  signal?: AbortSignal | null,
) => AsyncGenerator<ServerEvent>

const defaultPause = 3000

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
  for (;;) {
    if (signal?.aborted) return
    const reply = await open(toHeaders(lastEventId)).catch(toInterruption)
    // 204 asks the client not to return.
    if (reply?.response.status === 204) return
    for await (const { data, event = 'message', id, retry } of readBlocks(reply?.data)) {
      pause = retry ?? pause
      lastEventId = id ?? lastEventId
      if (data !== undefined) yield { id: lastEventId, event, data }
    }
    await wait(pause, signal).catch(() => undefined)
  }
}

function toHeaders(lastEventId: string | undefined): Record<string, string> {
  return { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) }
}

function toInterruption(error: unknown): undefined {
  if (!(error instanceof Failure && /^(network_error|timed_out|aborted)$/.test(error.code)))
    throw error
}

interface Block {
  id?: string
  event?: string
  data?: string
  retry?: number
}

// Ends where the stream is interrupted.
async function* readBlocks(body: unknown): AsyncGenerator<Block> {
  if (!(body instanceof ReadableStream)) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: '' }))
      if (done) return
      const blocks = (rest + value).split(/\r\n\r\n|\n\n|\r\r/)
      rest = blocks.pop() ?? ''
      yield* blocks.map(parseBlock)
    }
  } finally {
    await reader.cancel().catch(() => undefined)
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
