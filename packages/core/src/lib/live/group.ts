import { type Request } from 'express'
import { mongo } from 'mongoose'
import { type Scope } from '../access/scope.ts'
import { parseCursor, toCursor } from '../resource/cursor.ts'
import { type ListQuery, type LiveRead } from '../resource/list-query.ts'
import { type Endpoint } from '../route/route.ts'
import { type Change, toKey } from './change-stream.ts'
import { type IdTests, isSurelyOutside } from './id-tests.ts'

/** A page of a list, as `findPage` returns it. */
export interface LivePage {
  /** The documents. */
  readonly data: readonly object[]
}

/** Reads a list: `(query, options) => findPage(PostModel, query, options)`. */
export type ReadList = (query: ListQuery, options: { readonly scope: Scope }) => Promise<LivePage>

// The list that a subscriber follows.
export interface Source {
  /** The same for subscribers who see the same. */
  readonly key: string
  /** The same in all processes, and for conditions that differ in the current time only. */
  readonly name: string
  readonly list: ReadList
  readonly query: ListQuery
  readonly scope: Scope
  readonly idTests: IdTests
  readonly endpoint: Endpoint
}

export interface Subscriber {
  readonly req: Request
  readonly write: (text: string) => void
}

export interface Message {
  readonly time: mongo.Timestamp
  readonly event:
    | { readonly type: 'changed'; readonly data: object }
    | { readonly type: 'removed'; readonly id: unknown }
}

// The changes that the groups read together.
export interface Turn {
  readonly changes: readonly Change[]
  /** The documents as they are now, by key; undefined if they have not been read. */
  readonly current: ReadonlyMap<string, object> | undefined
  readonly session: mongo.ClientSession
}

// The subscribers who see the same documents: each document is read once for all of them.
export class Group {
  readonly source: Source
  readonly subscribers = new Set<Subscriber>()

  constructor(source: Source) {
    this.source = source
  }

  // Returns the messages that the changes cause; undefined if they cannot be known. The database decides which documents are in the list.
  async evaluate({ changes, current, session }: Turn): Promise<Message[] | undefined> {
    const { idTests } = this.source
    const last = new Map<string, Change>()
    for (const change of changes) {
      // In the order of their last changes.
      last.delete(change.key)
      last.set(change.key, change)
    }
    const candidates = [...last.values()].filter(({ key }) => {
      if (!current) return true
      const document = current.get(key)
      return document !== undefined && !isSurelyOutside(idTests, document)
    })
    const found = await this.#findStored(candidates, session)
    const gone = changes.filter(
      ({ before, key }) =>
        !found.has(key) &&
        before !== undefined &&
        (before === null || !isSurelyOutside(idTests, before)),
    )
    if (gone.some(({ before }) => before === null)) return undefined
    const removed = await this.#findBefore(gone, session)
    return [...last.values()].flatMap(({ id, key, time }): Message[] => {
      const data = found.get(key)
      if (data) return [{ time, event: { type: 'changed', data } }]
      return removed.has(key) ? [{ time, event: { type: 'removed', id } }] : []
    })
  }

  // The documents that the list has now.
  async #findStored(
    changes: readonly Change[],
    session: mongo.ClientSession,
  ): Promise<Map<string, object>> {
    if (changes.length === 0) return new Map()
    const condition = { _id: { $in: changes.map(({ id }) => id) } }
    const found = await this.#read({ session }, [condition])
    const keys = new Set(changes.map(({ key }) => key))
    for (const key of found.keys()) if (!keys.has(key)) throw new Error(sourceMessage)
    return found
  }

  // The keys of the documents that the list had before the changes.
  async #findBefore(
    changes: readonly Change[],
    session: mongo.ClientSession,
  ): Promise<ReadonlySet<string>> {
    const keys = new Set<string>()
    for (const documents of toBatches(changes.flatMap(({ before }) => before ?? []))) {
      for (const key of (await this.#read({ session, documents }, [])).keys()) keys.add(key)
    }
    return keys
  }

  async #read(
    live: Omit<LiveRead, 'onRead'>,
    conditions: ListQuery['conditions'],
  ): Promise<Map<string, object>> {
    const { list, query, scope } = this.source
    let isRead = false
    const { data } = await list(
      {
        ...query,
        conditions: [...query.conditions, ...conditions],
        live: { ...live, onRead: () => (isRead = true) },
      },
      { scope },
    )
    if (!isRead) throw new Error(sourceMessage)
    return new Map(data.map((document) => [toKey(toDocumentId(document)), document]))
  }

  deliver(messages: readonly Message[]): void {
    if (messages.length === 0) return
    const { endpoint } = this.source
    const toText = ({ req }: Subscriber): string =>
      messages
        .map(({ event, time }) => {
          const json = endpoint.render(event, undefined, 200, req)
          return `id: ${this.toId(time)}\ndata: ${json}\n\n`
        })
        .join('')
    let shared: string | undefined
    for (const subscriber of this.subscribers) {
      const text = endpoint.dependsOnCaller ? toText(subscriber) : (shared ??= toText(subscriber))
      subscriber.write(text)
    }
  }

  // The position of a message, for `Last-Event-ID`. It is signed, and bound to what the group sees.
  toId(time: mongo.Timestamp): string {
    return toCursor([time], this.source.name, this.source.query.cursorKeys)
  }
}

// The time of an id; undefined if it is not one of this list.
export function parseId(id: string, { name, query }: Source): unknown {
  try {
    return parseCursor(id, name, query.cursorKeys)[0]
  } catch {
    return undefined
  }
}

function toDocumentId(document: object): unknown {
  return Reflect.get(document, '_id') ?? Reflect.get(document, 'id')
}

const { calculateObjectSize } = mongo.BSON

const sourceMessage =
  'The function of a live list has returned other documents than those that it was asked for. Return findPage() with the query and the scope that the function receives: live((query, options) => findPage(PostModel, query, options)).'

// A command has at most 16 MB.
const batchLength = 100
const batchBytes = 8_000_000

function toBatches(documents: readonly mongo.Document[]): mongo.Document[][] {
  const batches: mongo.Document[][] = []
  let bytes = Infinity
  for (const document of documents) {
    const size = calculateObjectSize(document)
    const batch = batches.at(-1)
    if (!batch || batch.length >= batchLength || bytes + size > batchBytes) {
      batches.push([document])
      bytes = size
    } else {
      batch.push(document)
      bytes += size
    }
  }
  return batches
}
