import { type EventEmitter, on } from 'node:events'
import {
  createRouter,
  defineRoute,
  events,
  getLogger,
  openEvents,
  type EventStream,
  type Router,
  sendEvents,
  sendStream,
  stream,
} from '@create-api/core'
import { z } from 'zod'

const log = getLogger()
const price = z.object({ symbol: z.string(), amount: z.number() })
type Price = z.output<typeof price>

/** Where prices come from, such as a Mongoose query with `.cursor()` and a change stream. */
export interface PriceSource {
  all(): AsyncIterable<Price>
  since(id: string): AsyncIterable<Price & { id: string }>
  readonly changes: EventEmitter<{ price: [Price & { id: string }] }>
}

export function createPrices(source: PriceSource): Router {
  const exported = defineRoute({
    method: 'get',
    path: '/export',
    access: 'public',
    response: stream({ type: 'text/csv; charset=utf-8' }),
    handler: (_req, res) =>
      sendStream(res, async function* () {
        yield 'symbol,amount\n'
        for await (const { amount, symbol } of source.all()) yield `${symbol},${amount}\n`
      }),
  })

  const followed = defineRoute({
    method: 'get',
    path: '/events',
    access: 'public',
    response: events(price),
    handler: (_req, res) =>
      sendEvents(res, async function* ({ lastEventId, signal }) {
        // Before the missed events are read: what changes meanwhile is not lost, but may be sent twice.
        const live = on(source.changes, 'price', { signal })
        if (lastEventId !== undefined) {
          for await (const missed of source.since(lastEventId))
            yield { id: missed.id, data: missed }
        }
        for await (const [next] of live) {
          yield { id: next.id, event: 'price', data: next }
        }
      }),
  })

  const subscribers = new Set<EventStream<Price>>()
  const broadcast = defineRoute({
    method: 'get',
    path: '/broadcast',
    access: 'public',
    response: events(price),
    handler(_req, res) {
      const subscriber = openEvents<Price>(res)
      subscribers.add(subscriber)
      subscriber.signal.addEventListener('abort', () => subscribers.delete(subscriber))
    },
  })
  source.changes.on('price', (data) => {
    for (const subscriber of subscribers) {
      subscriber.send({ id: data.id, data }).catch((err: unknown) => {
        log.error({ err }, 'event not sent')
      })
    }
  })

  return createRouter([exported, followed, broadcast])
}
