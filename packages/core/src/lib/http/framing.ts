import { type Request } from 'express'
import { ApiError } from '../errors/api-error.ts'
import { createStage, type Stage } from '../stage/stage.ts'

const hostField = 'host'
const close = { Connection: 'close' } as const

/**
 * Rejects requests that two servers could read differently and that Node's parser accepts: no or
 * several `Host` fields (RFC 9112 section 3.2), a transfer coding other than `chunked`, and any in
 * HTTP/1.0 (sections 6.1 and 7): 400, and the connection is closed. An `Expect` other than
 * `100-continue` returns 417 (RFC 9110 section 10.1.1).
 * @returns the stage
 */
export function framing(): Stage {
  return createStage((req) => {
    requireOneHost(req)
    const coding = req.headers['transfer-encoding']
    if (coding !== undefined) requireChunked(coding, req.httpVersionMinor)
    const { expect } = req.headers
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
      throw new ApiError('expectation_failed', { detail: 'Expect may only be 100-continue.' })
    }
  })
}

function requireOneHost(req: Request): void {
  // `req.headers` has the first one only.
  const { rawHeaders } = req
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === hostField.length && name.toLowerCase() === hostField) hosts++
  }
  if (hosts > 1) throw badRequest('There is more than one Host header.')
  // Requests of serverless adapters have no raw headers.
  const isMissing = hosts === 0 && req.headers.host === undefined
  if (isMissing && req.httpVersionMinor > 0) throw badRequest('The Host header is missing.')
  if (hosts === 1 && /[\s/\\@,?#]/.test(req.headers.host ?? ''))
    throw badRequest('The Host header is not valid.')
}

function requireChunked(coding: string, httpVersionMinor: number): void {
  if (coding.toLowerCase() !== 'chunked') throw badRequest('Transfer-Encoding may only be chunked.')
  if (httpVersionMinor === 0) throw badRequest('HTTP/1.0 does not define Transfer-Encoding.')
}

function badRequest(detail: string): ApiError {
  return new ApiError('bad_request', { detail, headers: close })
}
