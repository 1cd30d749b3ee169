import { randomUUID } from 'node:crypto'
import { type Server, STATUS_CODES } from 'node:http'
import { type Duplex } from 'node:stream'
import { ApiError } from './errors/api-error.ts'
import { type ErrorCode } from './errors/catalogue.ts'
import { problemMediaType, toProblem } from './errors/problem.ts'

const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/**
 * Gives the errors that Node's parser answers by itself, before Express sees a request, the body
 * of every other error; the connection is closed.
 * @param server - the server
 * @param problemBase - prefix of the `type` of a problem
 */
export function answerClientErrors(server: Server, problemBase?: string): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Nobody is listening any more.
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    // An answer is on its way already, whole or half; what is written goes out.
    if (hasAnswered(socket)) {
      socket.end(() => socket.destroy())
      return
    }
    socket.end(toAnswer(codes[error.code ?? ''] ?? 'bad_request', problemBase))
  })
}

function hasAnswered(socket: Duplex): boolean {
  return 'bytesWritten' in socket && Number(socket.bytesWritten) > 0
}

function toAnswer(code: ErrorCode, problemBase: string | undefined): string {
  const requestId = randomUUID()
  const problem = toProblem(new ApiError(code), { requestId, problemBase })
  const body = JSON.stringify(problem)
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'Connection: close',
    `Content-Type: ${problemMediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${requestId}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
