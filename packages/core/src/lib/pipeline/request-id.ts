import { randomUUID } from 'node:crypto'
import { type Request, type Response } from 'express'
import { deferHeaders } from './deferred-headers.ts'
import { createStage, type Stage } from './stage.ts'

/** Options for {@link requestId}. */
export interface RequestIdOptions {
  /**
   * Whether an id that the client sends is taken, if it is 1 to 64 of `A-Z a-z 0-9 _ -`.
   * @default true
   */
  trust?: boolean | undefined
  /**
   * Makes the id of a request that brings none.
   * @default crypto.randomUUID
   */
  generate?: (() => string) | undefined
}

const acceptable = /^[A-Za-z0-9_-]{1,64}$/

/**
 * Gives each request an id: `req.id`, the `X-Request-Id` header of the answer, the log line.
 * @param options - where ids come from
 * @returns the stage
 */
export function requestId(options: RequestIdOptions = {}): Stage {
  const { trust = true, generate = randomUUID } = options
  return createStage((req, res) => {
    const given = trust ? req.headers['x-request-id'] : undefined
    const id = typeof given === 'string' && acceptable.test(given) ? given : generate()
    req.id = id
    deferHeaders(res, ['X-Request-Id', id])
  })
}

/**
 * The id of a request, also of one that passed no {@link requestId} stage.
 * @param req - the request
 * @param res - its answer, which then gets the header
 * @returns the id
 */
export function ensureRequestId(req: Request, res: Response): string {
  const known: unknown = req.id
  if (typeof known === 'string' && known !== '') return known
  req.id = randomUUID()
  if (!res.headersSent) res.setHeader('X-Request-Id', req.id)
  return req.id
}
