import { type ClientSession, type mongo } from 'mongoose'
import { type JobRecord, openStates } from '../queue/job-record.ts'
import { type EventRecord, type Store } from '../queue/store.ts'
import { type EventHandler, toDelivery } from './on.ts'

export interface DispatchParts {
  readonly handlers: readonly EventHandler[]
  readonly keep: { readonly keepEvents: number }
}

const batchSize = 100

// Adds a job for each event and handler, in one transaction with the mark of the events. Returns the names of the jobs.
export async function dispatchEvents(
  store: Store,
  parts: DispatchParts,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  for (;;) {
    // Events of one key are a prefix of those that wait, because their positions were committed in this order.
    const events = await store.events
      .find({ state: 'new' }, { sort: { state: 1, key: 1, position: 1 }, limit: batchSize })
      .toArray()
    if (events.length === 0) return names
    const deliveries = events.flatMap((event) => toDeliveries(event, parts.handlers))
    const isMine = await store.connection.transaction((session) =>
      dispatch(store, { events, deliveries, parts }, session),
    )
    for (const { name } of isMine ? deliveries : []) names.add(name)
  }
}

interface Batch {
  readonly events: readonly EventRecord[]
  readonly deliveries: readonly Delivery[]
  readonly parts: DispatchParts
}

type Delivery = Omit<JobRecord, 'state' | 'due' | 'createdAt'> & { readonly at: Date }

async function dispatch(
  store: Store,
  { deliveries, events, parts }: Batch,
  session: ClientSession,
): Promise<boolean> {
  const taken = await store.events.updateMany(
    { _id: { $in: events.map(({ _id }) => _id) }, state: 'new' },
    [
      {
        $set: {
          state: 'dispatched',
          removeAt: { $add: ['$$NOW', parts.keep.keepEvents] },
        },
      },
    ],
    { session },
  )
  // Another process has dispatched some of them.
  if (taken.modifiedCount !== events.length) {
    await session.abortTransaction()
    return false
  }
  if (deliveries.length === 0) return true
  const occupied = await occupyGroups(store, deliveries, session)
  const jobs = deliveries.map(({ at, ...delivery }) => {
    const { group } = delivery
    const isBlocked = group !== undefined && occupied.has(group)
    if (group !== undefined) occupied.add(group)
    const state = isBlocked
      ? ({ state: 'blocked' } as const)
      : ({ state: 'waiting', due: at } as const)
    return { ...delivery, ...state, createdAt: at }
  })
  await store.jobs.insertMany(jobs, { session })
  return true
}

// The groups that have an open job. The write to that job conflicts with its end, which would otherwise not see the job that
// follows it.
async function occupyGroups(
  { jobs }: Store,
  deliveries: readonly Delivery[],
  session: ClientSession,
): Promise<Set<string>> {
  const groups = deliveries.flatMap(({ group }) => group ?? [])
  if (groups.length === 0) return new Set()
  const open: mongo.Filter<JobRecord> = {
    group: { $in: groups },
    state: { $in: [...openStates] },
  }
  const found = await jobs.find(open, { projection: { group: 1 }, session }).toArray()
  if (found.length > 0) {
    const ids = found.map(({ _id }) => _id)
    await jobs.updateMany({ _id: { $in: ids } }, { $inc: { followers: 1 } }, { session })
  }
  return new Set(found.flatMap(({ group }) => group ?? []))
}

function toDeliveries(event: EventRecord, handlers: readonly EventHandler[]): Delivery[] {
  return handlers
    .filter(({ events }) => events.includes(event.name))
    .map(({ name }) => ({
      _id: `${event._id}:${name}`,
      name,
      input: toDelivery(event),
      attempt: 0,
      failures: 0,
      token: 0,
      at: event.at,
      ...(event.requestId !== undefined && { requestId: event.requestId }),
      ...(event.traceparent !== undefined && { traceparent: event.traceparent }),
      ...(event.key !== undefined && { group: `${name} ${event.key}` }),
      ...(event.position !== undefined && { position: event.position }),
    }))
}
