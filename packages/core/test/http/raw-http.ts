import { connect } from 'node:net'

/** What came back over one connection. */
export interface RawAnswer {
  /** Everything, as latin1. */
  readonly text: string
  /** Status codes of the final responses, in order. */
  readonly statuses: readonly number[]
  /** Bodies of the responses with a Content-Length. */
  readonly bodies: readonly string[]
  /** Whether the server closed the connection before the deadline. */
  readonly closed: boolean
}

/**
 * Sends bytes over a new connection and reads until the server closes it, or has responded
 * and stayed silent for a moment. An unfinished request ends soon, as from a client that goes.
 * @param port of the server
 * @param bytes to send
 * @param deadlineMs after which the server is taken to hang
 * @returns the responses
 */
export async function exchange(
  port: number,
  bytes: string | Buffer,
  deadlineMs = 10_000,
): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let closed = false
  socket.setTimeout(deadlineMs, () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    // A response that is complete: ours say how long they are.
    if (isComplete(text)) socket.setTimeout(30)
  })
  socket.on('error', () => {})
  socket.on('end', () => {
    closed = true
  })
  socket.write(bytes)
  // Callers that wait for more are notified that there is none.
  const ending = setTimeout(() => socket.end(), 100)
  // Not events.once, which throws for a connection that is reset.
  await new Promise((resolve) => socket.once('close', resolve))
  clearTimeout(ending)
  const responses = split(text)
  return {
    text,
    closed,
    statuses: responses.map(({ status }) => status),
    bodies: responses.map(({ body }) => body),
  }
}

function isComplete(text: string): boolean {
  return split(text).at(-1)?.complete === true
}

function split(text: string): { status: number; body: string; complete: boolean }[] {
  const responses = []
  let rest = text
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(rest)?.[1])
    if (end === -1 || Number.isNaN(status)) break
    const head = rest.slice(0, end)
    const hasBody = status !== 204 && status !== 304 && status >= 200
    const length = hasBody ? Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0) : 0
    const body = rest.slice(end + 4, end + 4 + length)
    if (status >= 200) responses.push({ status, body, complete: body.length === length })
    rest = rest.slice(end + 4 + length)
  }
  return responses
}
