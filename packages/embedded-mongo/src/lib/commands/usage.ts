import { Long } from 'bson'
import { type Doc } from '../bson/document.ts'
import { type Collection } from '../catalog/collection.ts'
import { type AccessPath } from '../plan/access-path.ts'
import { type Message } from '../wire/message.ts'
import { collectionOf, type CommandKind, kindOf } from './command-kind.ts'

type Event = 'total' | CommandKind['lock'] | CommandKind['event']
type Times = Record<Event, { time: number; count: number }>

// What clients have done since the start.
export class Usage {
  readonly #counts = { insert: 0, query: 0, update: 0, delete: 0, getmore: 0, command: 0 }
  readonly #times = new Map<string, Times>()
  readonly #indexes = new Map<string, number>()

  // `ms` is how long it has run.
  countCommand(message: Message, ms: number): void {
    const { body } = message
    const [name = ''] = Object.keys(body)
    const { counter, event, lock, batch } = kindOf(name)
    this.#counts[counter] += batch === undefined ? 1 : lengthOf(message, batch)
    const collection = collectionOf(name, body)
    if (collection === undefined) return
    const times = this.#timesOf(`${String(body['$db'])}.${collection}`)
    for (const key of ['total', lock, event] as const) {
      times[key].time += ms * 1000
      times[key].count += 1
    }
  }

  countIndexes(path: AccessPath): void {
    if (path.kind === 'scan') return
    const used = path.kind === 'index' ? [path] : path.branches
    for (const id of new Set(used.map(({ index }) => index.id))) {
      this.#indexes.set(id, this.ofIndex(id) + 1)
    }
  }

  // As in `serverStatus`.
  get operations(): Doc {
    return toLongs(this.#counts)
  }

  // As in `top`.
  ofCollection(namespace: string): Doc {
    const times = Object.entries(this.#times.get(namespace) ?? createTimes())
    return Object.fromEntries(times.map(([event, use]) => [event, toLongs(use)]))
  }

  ofIndex(id: string): number {
    return this.#indexes.get(id) ?? 0
  }

  // Forgets dropped collections and indexes, and names that clients have only asked for.
  keepOnly(collections: readonly Collection[]): void {
    const namespaces = new Set(collections.map(({ namespace }) => namespace))
    const ids = new Set(collections.flatMap(({ indexes }) => indexes.map(({ id }) => id)))
    for (const namespace of this.#times.keys()) {
      if (!namespaces.has(namespace)) this.#times.delete(namespace)
    }
    for (const id of this.#indexes.keys()) if (!ids.has(id)) this.#indexes.delete(id)
  }

  #timesOf(namespace: string): Times {
    const known = this.#times.get(namespace)
    if (known) return known
    const times = createTimes()
    this.#times.set(namespace, times)
    return times
  }
}

function lengthOf({ sequences, body }: Message, name: string): number {
  const items = sequences.get(name) ?? body[name]
  return Array.isArray(items) ? items.length : 0
}

function createTimes(): Times {
  return {
    total: noTime(),
    readLock: noTime(),
    writeLock: noTime(),
    queries: noTime(),
    getmore: noTime(),
    insert: noTime(),
    update: noTime(),
    remove: noTime(),
    commands: noTime(),
  }
}

function noTime(): Times[Event] {
  return { time: 0, count: 0 }
}

function toLongs(numbers: Readonly<Record<string, number>>): Doc {
  return Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => [name, Long.fromNumber(Math.round(value))]),
  )
}
