import { defineListQuery, objectId } from '@create-api/core/resource'
import { z } from 'zod'
import { type WebhookParts } from '../delivery/parts.ts'
import { parseTarget, RefusedTarget } from '../network/target.ts'
import { type DeliveryDocument, disabledReasons, type EndpointDocument } from '../store/models.ts'

export const testType = 'webhook.test'

const dateTime = z.iso.datetime()

export const delivery = z
  .object({
    id: objectId,
    messageId: z.string(),
    type: z.string(),
    state: z.enum(['pending', 'delivered', 'failed', 'cancelled']),
    body: z.string(),
    attempts: z.array(
      z.object({
        at: dateTime,
        durationMs: z.int(),
        status: z.int().nullable(),
        error: z.string().nullable(),
      }),
    ),
    nextAttemptAt: dateTime.nullable(),
    createdAt: dateTime,
  })
  .meta({ id: 'WebhookDelivery' })

export const rotatedSecret = z
  .object({ secret: z.string(), previousExpiresAt: dateTime })
  .meta({ id: 'RotatedWebhookSecret' })

export const endpoint = z
  .object({
    id: objectId,
    url: z.string(),
    events: z.array(z.string()),
    description: z.string(),
    enabled: z.boolean(),
    disabledAt: dateTime.nullable(),
    disabledReason: z.enum(disabledReasons).nullable(),
    createdAt: dateTime,
  })
  .meta({ id: 'WebhookEndpoint' })
export const createdEndpoint = endpoint
  .extend({ secret: z.string() })
  .meta({ id: 'CreatedWebhookEndpoint' })
export const listEndpoints = defineListQuery(endpoint, { filters: [], sort: ['createdAt'] })
export const listDeliveries = defineListQuery(delivery, {
  filters: ['state'],
  defaultSort: ['-id'],
})
export const endpointParams = z.object({ id: objectId })
export const deliveryParams = z.object({ id: objectId, delivery: objectId })

interface EndpointInput {
  readonly url: string
  readonly events: string[]
  readonly description: string
}

interface EndpointPatch {
  readonly url?: string | undefined
  readonly events?: string[] | undefined
  readonly description?: string | undefined
  readonly enabled?: boolean | undefined
}

// The bodies, for the events that endpoints can choose.
export interface BodySchemas {
  readonly create: z.ZodType<EndpointInput>
  readonly patch: z.ZodType<EndpointPatch>
}

export function createBodySchemas({
  events,
  rules,
}: Pick<WebhookParts, 'events' | 'rules'>): BodySchemas {
  const url = z
    .string()
    .max(2048)
    .superRefine((value, context) => {
      try {
        parseTarget(value, rules)
      } catch (error) {
        if (!(error instanceof RefusedTarget)) throw error
        context.addIssue({ code: 'custom', message: error.message })
      }
    })
    .meta({ format: 'uri', examples: ['https://example.com/webhooks'] })
  const chosen = z
    .array(z.enum(events.map(({ name }) => name)))
    .min(1)
    .max(100)
  const description = z.string().max(200)
  return {
    create: z.strictObject({ url, events: chosen, description: description.default('') }),
    patch: z.strictObject({
      url: url.optional(),
      events: chosen.optional(),
      description: description.optional(),
      enabled: z.boolean().optional(),
    }),
  }
}

type EndpointView = z.output<typeof endpoint>
type DeliveryView = z.output<typeof delivery>

type Lean<T, Names extends keyof T> = Pick<T, Names> & { readonly _id: unknown }

export function toEndpointView(
  stored: Lean<
    EndpointDocument,
    'url' | 'events' | 'description' | 'disabledAt' | 'disabledReason' | 'createdAt'
  >,
): EndpointView {
  const { _id, createdAt, description, disabledAt, disabledReason, events, url } = stored
  return {
    id: String(_id),
    url,
    events: [...events],
    description,
    enabled: disabledAt === null,
    disabledAt: disabledAt?.toISOString() ?? null,
    disabledReason,
    createdAt: createdAt.toISOString(),
  }
}

export function toDeliveryView(
  stored: Lean<
    DeliveryDocument,
    'messageId' | 'type' | 'state' | 'body' | 'attempts' | 'nextAttemptAt' | 'createdAt'
  >,
): DeliveryView {
  const { _id, attempts, body, createdAt, messageId, nextAttemptAt, state, type } = stored
  return {
    id: String(_id),
    messageId,
    type,
    state,
    body,
    attempts: attempts.map(({ at, durationMs, error, status }) => ({
      at: at.toISOString(),
      durationMs,
      status,
      error,
    })),
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }
}
