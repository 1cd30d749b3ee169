import { timingSafeEqual } from 'node:crypto'
import { ApiError, defineErrors, getLogger } from '@create-api/core'
import { type Duration, parseDuration } from '@create-api/core/internal/sign-in'
import { type Request, type RequestHandler, type Response } from 'express'
import { toKey } from '../signature/secret.ts'
import { sign } from '../signature/sign.ts'
import { type ReplayStore } from './replay-store.ts'

/** The error codes of {@link verifyWebhook}. */
export const receiverErrors = defineErrors({
  invalid_webhook_signature: { status: 401, title: 'The signature of the webhook is not valid.' },
  webhook_in_progress: { status: 409, title: 'The same webhook is being handled.' },
})

/** Options of {@link verifyWebhook}. */
export interface VerifyOptions {
  /** The secrets that a message can be signed with, `whsec_…`: two while they are rotated. */
  secrets: readonly string[]
  /**
   * How much the time of a message may differ from that of this process.
   * @default '5m'
   */
  tolerance?: Duration | undefined
  /**
   * Remembers messages, so that each is handled once: {@link createReplayStore}.
   * @default undefined, a message that is sent again is handled again
   */
  replays?: ReplayStore | undefined
  /**
   * Largest body in bytes.
   * @default 1048576
   */
  limit?: number | undefined
}

/**
 * Creates the option `readBody` of a route that receives webhooks by the Standard Webhooks specification. It verifies the signature of the bytes,
 * and only then parses them as JSON into `req.body`; the schema `body` of the route checks the result. A message that was handled
 * before gets the response 204 and is not handled again; one whose handler fails can be sent again.
 * @param options - secrets, tolerance and replay store
 * @returns the middleware
 * @throws TypeError for a secret or an option that is not valid
 * @example
 * ```ts
 * const readBody = verifyWebhook({
 *   secrets: [process.env.PAYMENTS_SECRET ?? ''],
 *   replays: createReplayStore({ source: 'payments' }),
 * })
 * ```
 */
export function verifyWebhook(options: VerifyOptions): RequestHandler {
  const { limit = 1_048_576, replays, secrets } = options
  const keys = secrets.map(toKey)
  if (keys.length === 0) throw new TypeError('verifyWebhook({ secrets }) must not be empty.')
  const toleranceMs = parseDuration(options.tolerance ?? '5m', 'verifyWebhook({ tolerance })')
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new TypeError('verifyWebhook({ limit }) must be a number of bytes.')
  }
  return (req, res, next) => {
    // oxlint-disable-next-line promise/no-callback-in-promise -- middleware continues by `next`
    receive(req, res, { keys, toleranceMs, limit, replays }).then((isNew) => isNew && next(), next)
  }
}

interface Settings {
  readonly keys: readonly Buffer[]
  readonly toleranceMs: number
  readonly limit: number
  readonly replays: ReplayStore | undefined
}

async function receive(req: Request, res: Response, settings: Settings): Promise<boolean> {
  const { limit, replays } = settings
  // Before the body is read: it costs nothing to refuse these.
  const head = readHead(req, settings)
  const body = await readBytes(req, limit)
  const expected = settings.keys.map((key) => sign({ ...head, body }, key))
  if (!head.signatures.some((given) => expected.some((one) => isSame(given, one)))) {
    throw invalid('No signature in webhook-signature matches the body.')
  }
  req.body = parse(body)
  if (!replays) return true
  const state = await replays.begin(head.id)
  if (state === 'busy') throw new ApiError(receiverErrors.webhook_in_progress)
  if (state === 'done') {
    res.status(204).end()
    return false
  }
  res.once('close', () => {
    const isDone = res.writableFinished && res.statusCode >= 200 && res.statusCode < 300
    replays.end(head.id, isDone).catch((error: unknown) => {
      getLogger().error({ err: error }, 'The end of a webhook could not be stored.')
    })
  })
  return true
}

interface Head {
  readonly id: string
  readonly timestamp: number
  readonly signatures: readonly string[]
}

// A sender can have several secrets, for each of which there is a signature.
const mostSignatures = 10

function readHead(req: Request, { toleranceMs }: Settings): Head {
  const id = req.get('webhook-id') ?? ''
  const time = req.get('webhook-timestamp') ?? ''
  const signatures = (req.get('webhook-signature') ?? '').split(' ', mostSignatures)
  if (!/^[\x21-\x7e]{1,256}$/.test(id))
    throw invalid('The field webhook-id is missing or not valid.')
  if (!/^\d{1,12}$/.test(time)) {
    throw invalid('The field webhook-timestamp must be seconds since 1970.')
  }
  const timestamp = Number(time)
  if (Math.abs(Date.now() - timestamp * 1000) > toleranceMs) {
    throw invalid('The time in webhook-timestamp differs too much from that of this service.')
  }
  return { id, timestamp, signatures }
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

async function readBytes(req: Request, limit: number): Promise<Buffer> {
  if (req.readableDidRead || req.body !== undefined) {
    throw new Error(
      'The body of a webhook was read by other middleware: verifyWebhook() needs its bytes. Do not use express.json() before it.',
    )
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (): void => {
      req.off('data', onData).off('end', onEnd).off('close', onClose)
    }
    const fail = (error: ApiError): void => {
      settle()
      reject(error)
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size > limit) fail(new ApiError('payload_too_large'))
      else chunks.push(chunk)
    }
    const onEnd = (): void => {
      settle()
      resolve(Buffer.concat(chunks))
    }
    const onClose = (): void => fail(new ApiError('bad_request', { detail: incomplete }))
    req.on('data', onData).on('end', onEnd).on('close', onClose)
    // Never removed: an error without a listener would end the process.
    req.on('error', onClose)
  })
}

const incomplete = 'The body is not complete.'

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new ApiError('bad_request', { detail: 'The body is not JSON.' })
  }
}

function invalid(detail: string): ApiError {
  return new ApiError(receiverErrors.invalid_webhook_signature, { detail })
}
