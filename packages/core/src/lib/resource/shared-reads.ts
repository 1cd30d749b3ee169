import { setImmediate } from 'node:timers'
import { type mongo, type Schema } from 'mongoose'
import { sharesReads } from '../database/read-sharing.ts'
import { type AnyModel, hasPlugin } from './model.ts'

// Reads that begin in one turn of the event loop, and differ in nothing but the id of the document, are made by one query.
// Nothing is cached: the query begins after the last of them, so each sees what was written before it.

/**
 * Mongoose plugin for models whose reads are not shared: each request sends a separate query. Without it, requests that
 * arrive together and read the same list, or documents in the same scope, share one; see the option
 * `database.shareReads`.
 * @param schema - the schema
 * @example
 * ```ts
 * const reportSchema = new Schema({ content: String }).plugin(versioned).plugin(unsharedReads)
 * ```
 */
export function unsharedReads(schema: Schema): void {
  // That the schema has the plugin is all that counts.
  void schema
}

export function mayShareReads<T>(model: AnyModel<T>): boolean {
  return sharesReads(model.db.getClient()) && !hasPlugin(model, unsharedReads)
}

export interface SharedRead<Found> {
  /** Says everything about the read but the id. */
  readonly key: string
  /** The id of the document, if there is one. */
  readonly id?: mongo.ObjectId
  /** Reads for all; called once. */
  readonly run: (ids: readonly mongo.ObjectId[]) => Promise<Found>
}

// Reads of one key that wait for the end of the turn.
interface Group {
  /** By their text. */
  readonly ids: Map<string, mongo.ObjectId>
  readonly found: Promise<unknown>
}

// More ids are read by another query.
const maxIds = 100

// Reads of one kind from one collection.
export class Lane {
  readonly #groups = new Map<string, Group>()
  #running = 0

  // Then a read has nothing to wait for, and needs no key.
  get isIdle(): boolean {
    return this.#running === 0 && this.#groups.size === 0
  }

  async run<Found>(run: () => Promise<Found>): Promise<Found> {
    this.#running++
    try {
      return await run()
    } finally {
      this.#running--
    }
  }

  share<Found>({ key, id, run }: SharedRead<Found>): Promise<Found> {
    let group = this.#groups.get(key)
    if (!group || group.ids.size >= maxIds) this.#groups.set(key, (group = this.#open(key, run)))
    if (id) group.ids.set(id.toHexString(), id)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the key says what is found
    return group.found as Promise<Found>
  }

  #open(key: string, run: SharedRead<unknown>['run']): Group {
    const ids: Group['ids'] = new Map()
    const found = endOfTurn().then(() => {
      if (this.#groups.get(key)?.ids === ids) this.#groups.delete(key)
      return this.run(() => run([...ids.values()]))
    })
    return { ids, found }
  }
}

// When all sockets that had something to read have been read.
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

const lanes = new WeakMap<object, Map<string, Lane>>()

export function laneOf(db: object, name: string): Lane {
  let own = lanes.get(db)
  if (!own) lanes.set(db, (own = new Map()))
  let lane = own.get(name)
  if (!lane) own.set(name, (lane = new Lane()))
  return lane
}
