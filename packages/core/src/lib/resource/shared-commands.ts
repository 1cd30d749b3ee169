import { type mongo, type Schema } from 'mongoose'
import { sharesCommands } from '../database/command-sharing.ts'
import { collectTurn, type Turn } from '../runtime/turn.ts'
import { type AnyModel, hasPlugin } from './model.ts'

// Reads and inserts that begin in one turn of the event loop are made by one command. Nothing is cached: the command begins
// after the last of them, so each read sees what was written before it.

/**
 * Mongoose plugin for models whose commands are not shared: each request sends its own. Without it, requests that arrive
 * together and read the same list, read documents in the same scope or create documents share a command; see the option
 * `database.shareCommands`.
 * @param schema - the schema
 * @example
 * ```ts
 * const reportSchema = new Schema({ content: String }).plugin(versioned).plugin(unsharedCommands)
 * ```
 */
export function unsharedCommands(schema: Schema): void {
  // That the schema has the plugin is all that counts.
  void schema
}

export function mayShareCommands<T>(model: AnyModel<T>): boolean {
  return sharesCommands(model.db.getClient()) && !hasPlugin(model, unsharedCommands)
}

export interface SharedCommand<Result, Item> {
  /** Says everything about the command but the item. */
  readonly key: string
  /** What this request adds to the command, and what it is equal by. */
  readonly item?: readonly [identity: unknown, item: Item]
  /** Sends the command for all; called once. */
  readonly run: (items: readonly Item[]) => Promise<Result>
}

// Commands of one key that wait for the end of the turn.
type Group<Item> = Turn<Map<unknown, Item>, unknown>

// Further items are sent by another command.
const maxItems = 100

// Commands of one kind for one collection.
export class Lane<Item> {
  readonly #groups = new Map<string, Group<Item>>()
  #running = 0

  // Then a command has nothing to wait for, and needs no key.
  get isIdle(): boolean {
    return this.#running === 0 && this.#groups.size === 0
  }

  async run<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#running++
    try {
      return await run()
    } finally {
      this.#running--
    }
  }

  share<Result>({ key, item, run }: SharedCommand<Result, Item>): Promise<Result> {
    let group = this.#groups.get(key)
    if (!group || group.items.size >= maxItems)
      this.#groups.set(key, (group = this.#open(key, run)))
    if (item) group.items.set(...item)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the key says what the result is
    return group.result as Promise<Result>
  }

  #open(key: string, run: SharedCommand<unknown, Item>['run']): Group<Item> {
    return collectTurn(new Map(), (items) => {
      if (this.#groups.get(key)?.items === items) this.#groups.delete(key)
      return this.run(() => run([...items.values()]))
    })
  }
}

// Of reads; the items are ids.
export type ReadLane = Lane<mongo.ObjectId>

const readLanes = new WeakMap<object, Map<string, ReadLane>>()

export function readLaneOf(db: object, name: string): ReadLane {
  let own = readLanes.get(db)
  if (!own) readLanes.set(db, (own = new Map()))
  let lane = own.get(name)
  if (!lane) own.set(name, (lane = new Lane()))
  return lane
}
