import { type Ending, type Holder, requireModel, setEnd } from '@create-api/core/internal/sign-in'
import { type Connection, type Model, Schema, type Types } from 'mongoose'

/**
 * Why no webhooks are sent to an endpoint: its owner has disabled it, the account of the owner was disabled, it failed for days, or its
 * response was 410 Gone.
 */
export const disabledReasons = ['owner', 'account', 'failing', 'gone'] as const
export type DisabledReason = (typeof disabledReasons)[number]

export interface StoredSecret {
  /** Encrypted. */
  readonly sealed: string
  /** When it stops to sign; null for the current one. */
  readonly expiresAt: Date | null
}

/** An endpoint as it is stored. It belongs to a user or to an organization. */
export interface EndpointDocument {
  _id: Types.ObjectId
  owner?: string
  organization?: string
  url: string
  events: string[]
  description: string
  /** The current one is the first. */
  secrets: StoredSecret[]
  /** When the first of the attempts has failed since which none has succeeded. */
  failingSince: Date | null
  disabledAt: Date | null
  disabledReason: DisabledReason | null
  createdAt: Date
}

/** `cancelled`: the endpoint was disabled before the message was delivered. */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'cancelled'

export interface DeliveryAttempt {
  readonly at: Date
  readonly durationMs: number
  readonly status: number | null
  readonly error: string | null
}

/** A message to an endpoint, as it is stored. */
export interface DeliveryDocument {
  _id: Types.ObjectId
  endpoint: Types.ObjectId
  /** That of the endpoint, whose data is erased with it. */
  owner?: string
  /** The value of `webhook-id`. */
  messageId: string
  type: string
  /** The text that is signed and sent. */
  body: string
  state: DeliveryState
  attempts: DeliveryAttempt[]
  nextAttemptAt: Date | null
  createdAt: Date
  expiresAt: Date
}

export interface WebhookModels {
  readonly connection: Connection
  readonly endpoints: Model<EndpointDocument>
  readonly deliveries: Model<DeliveryDocument>
}

const text = { type: String, required: true } as const
const time = { type: Date, required: true } as const
const optionalTime = { type: Date, default: null } as const
const options = { versionKey: false, writeConcern: { w: 'majority' } } as const

function createEndpointSchema(): Schema<EndpointDocument> {
  const schema = new Schema<EndpointDocument>(
    {
      owner: { type: String, immutable: true },
      organization: { type: String, immutable: true },
      url: text,
      events: [String],
      description: { type: String, default: '' },
      secrets: [
        new Schema<StoredSecret>({ sealed: text, expiresAt: optionalTime }, { _id: false }),
      ],
      failingSince: optionalTime,
      disabledAt: optionalTime,
      disabledReason: { type: String, default: null },
      createdAt: time,
    },
    options,
  )
  schema.index({ owner: 1, _id: 1 })
  schema.index({ organization: 1, _id: 1 })
  return schema
}

function createDeliverySchema(): Schema<DeliveryDocument> {
  const attempt = new Schema<DeliveryAttempt>(
    {
      at: time,
      durationMs: { type: Number, required: true },
      status: { type: Number, default: null },
      error: { type: String, default: null },
    },
    { _id: false },
  )
  const schema = new Schema<DeliveryDocument>(
    {
      endpoint: { type: Schema.Types.ObjectId, required: true },
      owner: { type: String, immutable: true },
      messageId: text,
      type: text,
      body: text,
      state: text,
      attempts: [attempt],
      nextAttemptAt: optionalTime,
      createdAt: time,
      expiresAt: time,
    },
    options,
  )
  schema.index({ owner: 1 }, { partialFilterExpression: { owner: { $exists: true } } })
  schema.index({ endpoint: 1, _id: 1 })
  schema.index({ endpoint: 1, state: 1, _id: 1 })
  schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  return schema
}

export function createModels(connection: Connection): WebhookModels {
  const place = { connection, prefix: '' }
  const models: WebhookModels = {
    connection,
    endpoints: requireModel(place, {
      name: 'WebhookEndpoint',
      collection: 'webhook_endpoints',
      schema: createEndpointSchema(),
      personal: {
        user: 'owner',
        fields: ['url', 'events', 'description', 'disabledAt', 'disabledReason', 'createdAt'],
      },
    }),
    deliveries: requireModel(place, {
      name: 'WebhookDelivery',
      collection: 'webhook_deliveries',
      schema: createDeliverySchema(),
      personal: { user: 'owner', fields: ['messageId', 'type', 'body', 'state', 'createdAt'] },
    }),
  }
  setEnd(models.endpoints, (holder, ending) => endEndpoints(models, holder, ending))
  return models
}

// Messages that wait are cancelled when they are due.
async function endEndpoints(
  { deliveries, endpoints }: WebhookModels,
  holder: Holder,
  ending: Ending,
): Promise<void> {
  const filter = 'user' in holder ? { owner: holder.user } : holder
  if (ending === 'disabled') {
    const disabled = { disabledAt: new Date(), disabledReason: 'account' } as const
    await endpoints.updateMany({ ...filter, disabledAt: null }, { $set: disabled })
    return
  }
  const ids = await endpoints.distinct('_id', filter)
  await endpoints.deleteMany(filter)
  await deliveries.deleteMany({ endpoint: { $in: ids } })
}
