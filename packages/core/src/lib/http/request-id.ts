import { randomUUID } from 'node:crypto'
import { validateHeaderValue } from 'node:http'
import { type Request, type Response } from 'express'
import { deferHeaders } from '../fast/deferred-headers.ts'
import { createStage, type Stage } from '../stage/stage.ts'

/** Options for {@link requestId}. */
export interface RequestIdOptions {
  /**
   * Whether an id sent by the client is used, if it is 1 to 64 characters of `A-Z a-z 0-9 _ -`.
   * @default true
   */
  trust?: boolean | undefined
  /**
   * Creates the id of a request without one.
   * @default crypto.randomUUID
   */
  generate?: (() => string) | undefined
}

const acceptable = /^[A-Za-z0-9_-]{1,64}$/

/**
 * Sets the id of each request: `req.id`, the `X-Request-Id` header of the response, the log line.
 * @param options - source of the ids
 * @returns the stage
 */
export function requestId(options: RequestIdOptions = {}): Stage {
  const { trust = true, generate = randomUUID } = options
  return createStage((req, res) => {
    const sent = trust ? req.headers['x-request-id'] : undefined
    const id = typeof sent === 'string' && acceptable.test(sent) ? sent : generate()
    req.id = id
    if (generate !== randomUUID) validateHeaderValue('X-Request-Id', id)
    deferHeaders(res, ['X-Request-Id', id])
  })
}

// The id of a request. Without a `requestId` stage it is created here, with the header of the response.
export function ensureRequestId(req: Request, res: Response): string {
  const known: unknown = req.id
  if (typeof known === 'string' && known !== '') return known
  req.id = randomUUID()
  if (!res.headersSent) res.setHeader('X-Request-Id', req.id)
  return req.id
}
