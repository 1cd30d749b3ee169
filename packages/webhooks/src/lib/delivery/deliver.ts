import { enqueue, defineJob, type Job, type JobContext } from '@create-api/jobs'
import { type ClientSession } from 'mongoose'
import { z } from 'zod'
import { sendRequest } from '../network/send-request.ts'
import { RefusedTarget } from '../network/target.ts'
import { sign } from '../signature/sign.ts'
import {
  type DeliveryAttempt,
  type DeliveryDocument,
  type DeliveryState,
  type DisabledReason,
  type EndpointDocument,
} from '../store/models.ts'
import { openKeys } from '../store/secrets.ts'
import { type DeliverInput } from './add-delivery.ts'
import { type DisabledNotice, type WebhookParts } from './parts.ts'

// Attempts of a delivery that is sent again and again.
const keptAttempts = 50
const maxRetryAfterMs = 86_400_000

interface Outcome extends DeliveryAttempt {
  readonly retryAfterMs: number
}

// The job that sends a message once. It adds the next attempt in the transaction that stores how this one has ended.
export function createDeliver(parts: WebhookParts, notify: Job<DisabledNotice>): Job<DeliverInput> {
  const { models } = parts
  const deliver: Job<DeliverInput> = defineJob({
    name: 'deliver-webhook',
    input: z.object({ delivery: z.string(), attempt: z.int() }),
    // A receiver that hangs occupies one of them until the timeout.
    concurrency: 20,
    async run(input, context) {
      const delivery = await models.deliveries.findById(input.delivery).lean()
      if (delivery?.state !== 'pending') return
      const endpoint = await models.endpoints.findById(delivery.endpoint).lean()
      if (!endpoint || endpoint.disabledAt) {
        await models.deliveries.updateOne({ _id: delivery._id }, toEnd('cancelled'))
        return
      }
      const outcome = await attempt(parts, delivery, endpoint, context)
      await context.complete(async (session) => {
        await settle({ parts, deliver, notify, session }, { input, delivery, endpoint, outcome })
      })
    },
  })
  return deliver
}

function toEnd(state: DeliveryState): { $set: object } {
  return { $set: { state, nextAttemptAt: null } }
}

async function attempt(
  { box, rules, timeoutMs }: WebhookParts,
  { body, messageId: id }: DeliveryDocument,
  endpoint: EndpointDocument,
  { signal }: JobContext,
): Promise<Outcome> {
  const at = new Date()
  const timestamp = Math.floor(at.getTime() / 1000)
  const keys = openKeys(box, { id: String(endpoint._id), secrets: endpoint.secrets }, at)
  const started = performance.now()
  const toAttempt = (): Pick<DeliveryAttempt, 'at' | 'durationMs'> => ({
    at,
    durationMs: Math.round(performance.now() - started),
  })
  try {
    const { retryAfter, status } = await sendRequest(
      {
        url: endpoint.url,
        body,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'create-api-webhooks',
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': keys.map((key) => sign({ id, timestamp, body }, key)).join(' '),
        },
      },
      { rules, timeoutMs, signal },
    )
    return { ...toAttempt(), status, error: null, retryAfterMs: parseRetryAfter(retryAfter, at) }
  } catch (error) {
    // The process stops: the job is returned to the queue.
    if (signal.aborted) throw error
    return { ...toAttempt(), status: null, error: toMessage(error), retryAfterMs: 0 }
  }
}

// What a resolver or a socket says could describe a network that the owner cannot see.
function toMessage(error: unknown): string {
  if (error instanceof RefusedTarget) return `The URL ${error.message}.`
  const code: unknown = Object(error).code
  if (typeof code === 'string') return `The connection failed: ${code}.`
  return error instanceof Error ? error.message.slice(0, 200) : 'The request failed.'
}

// Seconds or an HTTP date (RFC 9110 section 10.2.3).
function parseRetryAfter(value: string | undefined, now: Date): number {
  if (value === undefined) return 0
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now.getTime()
  return Math.min(Math.max(ms || 0, 0), maxRetryAfterMs)
}

interface SettleParts {
  readonly parts: WebhookParts
  readonly deliver: Job<DeliverInput>
  readonly notify: Job<DisabledNotice>
  readonly session: ClientSession
}

interface Result {
  readonly input: DeliverInput
  readonly delivery: DeliveryDocument
  readonly endpoint: EndpointDocument
  readonly outcome: Outcome
}

async function settle(tools: SettleParts, result: Result): Promise<void> {
  const { outcome } = result
  const isDelivered = outcome.status !== null && outcome.status >= 200 && outcome.status < 300
  await (isDelivered ? succeed(tools, result) : fail(tools, result))
}

async function succeed(tools: SettleParts, result: Result): Promise<void> {
  const { parts, session } = tools
  await record(tools, result, { state: 'delivered', nextAttemptAt: null })
  if (result.endpoint.failingSince === null) return
  await parts.models.endpoints.updateOne(
    { _id: result.endpoint._id },
    { $set: { failingSince: null } },
    { session },
  )
}

async function fail(tools: SettleParts, result: Result): Promise<void> {
  const { deliver, parts, session } = tools
  const { endpoint, input, outcome } = result
  const { connection, endpoints } = parts.models
  const since = endpoint.failingSince ?? outcome.at
  if (endpoint.failingSince === null) {
    await endpoints.updateOne(
      { _id: endpoint._id, failingSince: null },
      { $set: { failingSince: since } },
      { session },
    )
  }
  const reason = toDisabledReason(parts, outcome, since)
  if (reason) await disable(tools, endpoint, reason)
  const delay = parts.retries[input.attempt]
  if (reason || delay === undefined) {
    await record(tools, result, { state: 'failed', nextAttemptAt: null })
    return
  }
  // Receivers that failed together do not receive everything at the same time again.
  const afterMs = Math.round(Math.max(delay * (1 + Math.random() / 10), outcome.retryAfterMs))
  await record(tools, result, { state: 'pending', nextAttemptAt: new Date(Date.now() + afterMs) })
  await enqueue(
    deliver,
    { delivery: input.delivery, attempt: input.attempt + 1 },
    { session, connection, after: `${afterMs}ms` },
  )
}

function toDisabledReason(
  { disableAfterMs }: WebhookParts,
  { at, status }: Outcome,
  since: Date,
): DisabledReason | undefined {
  if (status === 410) return 'gone'
  return at.getTime() - since.getTime() >= disableAfterMs ? 'failing' : undefined
}

async function disable(
  { notify, parts, session }: SettleParts,
  { _id }: EndpointDocument,
  reason: DisabledReason,
): Promise<void> {
  const { connection, endpoints } = parts.models
  const { modifiedCount } = await endpoints.updateOne(
    { _id, disabledAt: null },
    { $set: { disabledAt: new Date(), disabledReason: reason } },
    { session },
  )
  if (modifiedCount === 0) return
  await enqueue(notify, { endpoint: String(_id), reason }, { session, connection })
}

async function record(
  { parts, session }: SettleParts,
  { delivery, outcome }: Result,
  fields: Pick<DeliveryDocument, 'state' | 'nextAttemptAt'>,
): Promise<void> {
  const { at, durationMs, error, status } = outcome
  await parts.models.deliveries.updateOne(
    { _id: delivery._id },
    {
      $set: fields,
      $push: { attempts: { $each: [{ at, durationMs, error, status }], $slice: -keptAttempts } },
    },
    { session },
  )
}
