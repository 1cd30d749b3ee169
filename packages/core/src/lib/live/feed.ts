import mongoose, { type Connection, mongo } from 'mongoose'
import { ApiError } from '../errors/api-error.ts'
import { fromDatabaseError } from '../errors/from-database-error.ts'
import { applicationLog } from '../logging/get-logger.ts'
import { type AnyModel } from '../resource/model.ts'
import {
  type Change,
  findNextTime,
  isHistoryLost,
  keepPreImages,
  openStream,
  toChange,
  toCollection,
  toKey,
  toToken,
} from './change-stream.ts'
import { Group, type Source, type Subscriber, type Turn } from './group.ts'
import { readMissed } from './missed-changes.ts'

// Changes are collected for this time, so that each group reads once for all of them.
const turnMs = 100
// More changes than this wait in the database.
const waitingLimit = 1000
const parallelReads = 10
const gapLimit = 10_000
const retryMs = [100, 500, 1000, 2000, 5000]

// The changes that happen while a subscriber reads those that it has missed.
interface Gap {
  changes: Change[]
}

// The changes of one collection: one change stream for all of its subscribers in this process. It is open while there are some.
export class Feed {
  readonly #model: AnyModel<unknown>
  readonly #onEnd: () => void
  readonly #groups = new Map<string, Group>()
  readonly #groupOf = new Map<Subscriber, Group>()
  readonly #gaps = new Set<Gap>()
  #waiting: Change[] = []
  #onTaken: (() => void) | undefined
  #stream: mongo.ChangeStream | undefined
  #starting: Promise<void> | undefined
  // Turns, arrivals and departures, one after another.
  #work: Promise<unknown> = Promise.resolve()
  #turn: NodeJS.Timeout | undefined
  #turnEnd = 0
  #position = new mongo.Timestamp({ t: 0, i: 0 })
  #token = ''
  #places = 0
  #isEnded = false

  constructor(model: AnyModel<unknown>, onEnd: () => void) {
    this.#model = model
    this.#onEnd = onEnd
  }

  // Reserves a place; returns the function that gives it back. Throws ApiError `overloaded`.
  reserve(max: number): () => void {
    if (this.#places >= max) {
      throw new ApiError('overloaded', {
        detail: `There are ${max} subscribers of this list.`,
        headers: { 'Retry-After': '5' },
      })
    }
    this.#places += 1
    let isReserved = true
    return () => {
      if (!isReserved) return
      isReserved = false
      this.#places -= 1
      if (this.#places === 0) this.#end()
    }
  }

  // Opens the change stream.
  start(): Promise<void> {
    this.#starting ??= this.#open().catch((error: unknown) => {
      this.#starting = undefined
      throw error
    })
    return this.#starting
  }

  // Adds a subscriber, who reads the list now and receives what changes from now on.
  join(source: Source, open: () => Subscriber): Promise<void> {
    return this.#do(() => {
      const subscriber = open()
      this.#add(subscriber, source)
      this.#reset([subscriber])
    })
  }

  // Adds a subscriber, who receives what has changed since a time, too.
  async resume(subscriber: Subscriber, source: Source, since: unknown): Promise<void> {
    if (!(since instanceof mongo.Timestamp)) return this.join(source, () => subscriber)
    const gap: Gap = { changes: [] }
    const until = await this.#do(() => {
      this.#gaps.add(gap)
      return { time: this.#position, token: this.#token }
    })
    const collection = toCollection(this.#model)
    // Another process may have been faster.
    const missed = since.greaterThan(until.time)
      ? []
      : await readMissed(collection, { since, until }).catch(report)
    await this.#do(async () => {
      this.#gaps.delete(gap)
      const changes = [...(missed ?? []), ...gap.changes]
      this.#add(subscriber, source)
      if (!missed || changes.length > gapLimit) return this.#reset([subscriber])
      const group = new Group(source)
      group.subscribers.add(subscriber)
      await this.#evaluate(changes, [group])
      subscriber.write(`id: ${this.toPosition(subscriber)}\n\n`)
    })
  }

  // Continues with what the caller may see now.
  move(subscriber: Subscriber, source: Source): Promise<void> {
    return this.#do(() => {
      const previous = this.#groupOf.get(subscriber)?.source
      if (!previous || previous.key === source.key) return
      this.#remove(subscriber)
      this.#add(subscriber, source)
      if (previous.name !== source.name) this.#reset([subscriber])
    })
  }

  leave(subscriber: Subscriber): void {
    this.#remove(subscriber)
  }

  // The position up to which a subscriber has received everything; undefined while it is reading what it has missed.
  toPosition(subscriber: Subscriber): string | undefined {
    return this.#groupOf.get(subscriber)?.toId(this.#position)
  }

  #add(subscriber: Subscriber, source: Source): void {
    const group = this.#groups.get(source.key) ?? new Group(source)
    this.#groups.set(source.key, group)
    group.subscribers.add(subscriber)
    this.#groupOf.set(subscriber, group)
  }

  #remove(subscriber: Subscriber): void {
    const group = this.#groupOf.get(subscriber)
    this.#groupOf.delete(subscriber)
    group?.subscribers.delete(subscriber)
    if (group?.subscribers.size === 0) this.#groups.delete(group.source.key)
  }

  #do<T>(work: () => T | Promise<T>): Promise<T> {
    const done = this.#work.then(work)
    this.#work = done.catch(() => undefined)
    return done
  }

  async #open(): Promise<void> {
    await keepPreImages(this.#model)
    this.#token = ''
    await this.#follow(await findNextTime(this.#model.db))
  }

  async #follow(time: mongo.Timestamp): Promise<void> {
    const stream = openStream(toCollection(this.#model), time)
    const first = await stream.tryNext()
    this.#stream = stream
    this.#position = time
    if (!first && this.#token === '') this.#token = toToken(stream.resumeToken)
    if (this.#isEnded) await stream.close()
    else void this.#pump(stream, first)
  }

  async #pump(stream: mongo.ChangeStream, first: mongo.Document | null): Promise<void> {
    try {
      let event = first
      while (!this.#isEnded) {
        if (event) await this.#receive(event)
        event = await stream.tryNext()
      }
    } catch (error) {
      if (!this.#isEnded) await this.#recover(error)
    } finally {
      await stream.close()
    }
  }

  async #receive(event: mongo.Document): Promise<void> {
    const change = toChange(event)
    if (!change) throw new CollectionEnd()
    this.#waiting.push(change)
    this.#turn ??= setTimeout(
      () => void this.#do(() => this.#takeTurn()),
      Math.max(0, this.#turnEnd + turnMs - performance.now()),
    )
    if (this.#waiting.length < waitingLimit) return
    await new Promise<void>((resolve) => (this.#onTaken = resolve))
  }

  async #takeTurn(): Promise<void> {
    const changes = this.#waiting
    this.#waiting = []
    this.#turn = undefined
    this.#onTaken?.()
    const last = changes.at(-1)
    if (!last) return
    for (const gap of this.#gaps) if (gap.changes.length <= gapLimit) gap.changes.push(...changes)
    await this.#evaluate(changes, [...this.#groups.values()])
    this.#position = last.time
    this.#token = last.token
    this.#turnEnd = performance.now()
  }

  async #evaluate(changes: readonly Change[], groups: readonly Group[]): Promise<void> {
    const last = changes.at(-1)
    if (!last) return
    const session = await this.#model.db.startSession({ causalConsistency: true })
    try {
      session.advanceOperationTime(last.time)
      const current = await repeatOnce(() => this.#readCurrent(changes, { groups, session }))
      const pending = [...groups]
      const work = async (): Promise<void> => {
        for (let group = pending.shift(); group; group = pending.shift()) {
          await this.#serve(group, { changes, current, session })
        }
      }
      await Promise.all(Array.from({ length: parallelReads }, work))
    } catch (error) {
      report(error)
      for (const { subscribers } of groups) this.#reset(subscribers)
    } finally {
      await session.endSession()
    }
  }

  // The documents as they are now, with the fields that decide without the database; undefined if there are none.
  async #readCurrent(
    changes: readonly Change[],
    { groups, session }: Pick<Turn, 'session'> & { readonly groups: readonly Group[] },
  ): Promise<Turn['current']> {
    const fields = new Set(groups.flatMap(({ source }) => [...source.idTests.keys()]))
    if (fields.size === 0) return undefined
    const ids = [...new Map(changes.map(({ id, key }) => [key, id])).values()]
    const project = Object.fromEntries([...fields].map((field) => [field, 1]))
    const found = await toCollection(this.#model)
      .aggregate([{ $match: { _id: { $in: ids } } }, { $project: project }], {
        readPreference: 'primary',
        readConcern: { level: 'majority' },
        session,
      })
      .toArray()
    return new Map(found.map((document) => [toKey(document['_id']), document]))
  }

  async #serve(group: Group, turn: Turn): Promise<void> {
    try {
      const messages = await repeatOnce(() => group.evaluate(turn))
      if (messages) group.deliver(messages)
      else this.#reset(group.subscribers)
    } catch (error) {
      report(error)
      this.#reset(group.subscribers)
    }
  }

  // Subscribers read the list again: they may have missed something.
  #reset(subscribers: Iterable<Subscriber>): void {
    for (const subscriber of subscribers) {
      const id = this.toPosition(subscriber)
      subscriber.write(`${id === undefined ? '' : `id: ${id}\n`}data: {"type":"reset"}\n\n`)
    }
  }

  // Continues after the last change that has been sent. If the database no longer has the next one, all subscribers begin again.
  async #recover(error: unknown): Promise<void> {
    this.#waiting = []
    let isLost = error instanceof CollectionEnd || isHistoryLost(error)
    if (!isLost) applicationLog.warn({ err: error }, 'change stream interrupted')
    for (let attempt = 0; !this.#isEnded; attempt += 1) {
      try {
        if (isLost) await this.#do(() => this.#beginAgain())
        else await this.#follow(this.#position)
        applicationLog.info({ isComplete: !isLost }, 'change stream continues')
        return
      } catch (cause) {
        isLost ||= isHistoryLost(cause)
        applicationLog.warn({ err: cause, attempt }, 'change stream not opened')
        const ms = retryMs[Math.min(attempt, retryMs.length - 1)]
        await new Promise((resolve) => setTimeout(resolve, ms).unref())
      }
    }
  }

  async #beginAgain(): Promise<void> {
    await this.#open()
    for (const gap of this.#gaps) gap.changes.length = gapLimit + 1
    this.#reset(this.#groupOf.keys())
  }

  #end(): void {
    this.#isEnded = true
    this.#onEnd()
    clearTimeout(this.#turn)
    this.#onTaken?.()
    void this.#stream?.close()
  }
}

class CollectionEnd extends Error {}

// A read that a change of the primary interrupts need not make all subscribers read the list.
async function repeatOnce<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    const known = error instanceof Error ? fromDatabaseError(error) : undefined
    if (known?.code !== 'service_unavailable') throw error
    return read()
  }
}

function report(err: unknown): undefined {
  applicationLog.error({ err }, 'changes of a live list not read')
}

const feeds = new WeakMap<Connection, Map<string, Feed>>()

export function findFeed(model: AnyModel<unknown>): Feed {
  const ofConnection = feeds.get(model.db) ?? new Map<string, Feed>()
  feeds.set(model.db, ofConnection)
  const { name } = model.collection
  const known = ofConnection.get(name)
  if (known) return known
  const feed = new Feed(model, () => ofConnection.delete(name))
  ofConnection.set(name, feed)
  return feed
}

export function isModel(model: unknown): model is AnyModel<unknown> {
  return typeof model === 'function' && model.prototype instanceof mongoose.Model
}
