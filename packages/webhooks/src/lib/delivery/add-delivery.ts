import { enqueue, type Job } from '@create-api/jobs'
import { type ClientSession } from 'mongoose'
import { type EndpointDocument } from '../store/models.ts'
import { type WebhookParts } from './parts.ts'

export interface DeliverInput {
  readonly delivery: string
  /** Number of the attempts since the message was added or sent again. */
  readonly attempt: number
}

export interface NewMessage {
  readonly endpoint: Pick<EndpointDocument, '_id' | 'owner'>
  readonly messageId: string
  readonly type: string
  readonly timestamp: Date
  readonly data: unknown
}

// Stores a message and adds its first attempt to the queue. Returns the id of the delivery.
export async function addDelivery(
  parts: WebhookParts,
  deliver: Job<DeliverInput>,
  { data, endpoint, messageId, timestamp, type }: NewMessage,
  session: ClientSession,
): Promise<string> {
  const { models } = parts
  const now = new Date()
  const [delivery] = await models.deliveries.create(
    [
      {
        endpoint: endpoint._id,
        ...(endpoint.owner !== undefined && { owner: endpoint.owner }),
        messageId,
        type,
        body: JSON.stringify({ type, timestamp: timestamp.toISOString(), data }),
        state: 'pending',
        nextAttemptAt: now,
        createdAt: now,
        expiresAt: toExpiry(parts, now),
      },
    ],
    { session },
  )
  const id = String(delivery?._id)
  const { connection } = models
  await enqueue(deliver, { delivery: id, attempt: 0 }, { session, connection })
  return id
}

// When the log forgets a message.
export function toExpiry({ keepMs }: WebhookParts, now: Date): Date {
  return new Date(now.getTime() + keepMs)
}
