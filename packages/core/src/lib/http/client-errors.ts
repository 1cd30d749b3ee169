import { randomUUID } from 'node:crypto'
import { type Server, STATUS_CODES } from 'node:http'
import { type Duplex } from 'node:stream'
import { ApiError } from '../errors/api-error.ts'
import { type ErrorCode } from '../errors/catalogue.ts'
import { mayTakeAnyTime } from '../stage/request-body.ts'
import { problemMediaType, toProblem } from '../errors/problem.ts'

const codes: ReadonlyMap<string, ErrorCode> = new Map(
  Object.entries<ErrorCode>({
    HPE_HEADER_OVERFLOW: 'headers_too_large',
    HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
    ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  }),
)

// Errors of Node's HTTP parser, raised before Express sees a request, get the same body as every other
// error. The connection is closed.
export function handleClientErrors(server: Server, problemBase?: string): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Node reports it once.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && mayTakeAnyTime(socket)) return
    // The client has disconnected.
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    // A response has been started: what is written is sent.
    if (hasResponse(socket)) {
      socket.end(() => socket.destroy())
      return
    }
    socket.end(toResponse(codes.get(error.code ?? '') ?? 'bad_request', problemBase))
  })
}

function hasResponse(socket: Duplex): boolean {
  return 'bytesWritten' in socket && Number(socket.bytesWritten) > 0
}

function toResponse(code: ErrorCode, problemBase: string | undefined): string {
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
