import { type Job, PermanentError } from '@create-api/jobs'
import { type EventHandler, type HandlerContext, on } from '@create-api/jobs/events'
import { addDelivery, type DeliverInput, type NewMessage } from './add-delivery.ts'
import { type WebhookParts } from './parts.ts'
import { type PublishedEvent } from './publish.ts'

// The handler that adds a delivery for each endpoint of the audience, all in the transaction that completes it.
export function createFanOut(parts: WebhookParts, deliver: Job<DeliverInput>): EventHandler {
  const run = async (data: unknown, context: HandlerContext): Promise<void> => {
    const { event } = context
    const published = parts.events.filter((one) => one.event.name === event.name)
    const messages = await Promise.all(published.map((one) => toMessage(parts, one, data)))
    await context.complete(async (session) => {
      for (const { endpoints, ...message } of messages) {
        const facts = { messageId: `msg_${event.id}`, timestamp: event.at }
        for (const endpoint of endpoints) {
          await addDelivery(parts, deliver, { ...message, ...facts, endpoint }, session)
        }
      }
    })
  }
  return on(
    parts.events.map(({ event }) => event),
    { name: 'webhooks', run },
  )
}

interface Message {
  readonly type: string
  readonly data: unknown
  readonly endpoints: readonly NewMessage['endpoint'][]
}

async function toMessage(
  { models }: WebhookParts,
  published: PublishedEvent,
  data: unknown,
): Promise<Message> {
  const { name: type } = published
  const audience = await published.toAudience(data).catch(rethrow)
  const endpoints: NewMessage['endpoint'][] = []
  for (const owner of audience) {
    const found = await models.endpoints
      .find({ ...owner, events: type, disabledAt: null }, { owner: 1 })
      .lean()
    endpoints.push(...found)
  }
  if (endpoints.length === 0) return { type, data: undefined, endpoints }
  try {
    return { type, data: published.toData(data), endpoints }
  } catch (error) {
    return rethrow(error)
  }
}

// What the definition of the event does wrong is not corrected by a retry.
function rethrow(error: unknown): never {
  if (error instanceof TypeError) throw new PermanentError(error.message)
  throw error
}
