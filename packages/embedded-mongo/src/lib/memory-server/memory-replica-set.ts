import { EventEmitter } from 'node:events'
import { MongoMemoryServer } from './memory-server.ts'
import {
  checkOptions,
  type Cleanup,
  type MongoMemoryReplSetOptions,
  replicaSetChecks,
} from './options.ts'

/** What a {@link MongoMemoryReplSet} does. */
export type MongoMemoryReplSetState = 'init' | 'running' | 'stopped'

/**
 * A database for tests with the interface of `mongodb-memory-server`'s replica sets: transactions and change streams
 * work. One server acts for all members.
 * @fires stateChange with the new state
 * @example
 * ```ts
 * import { MongoMemoryReplSet } from '@create-api/embedded-mongo'
 * import mongoose from 'mongoose'
 *
 * const replicaSet = await MongoMemoryReplSet.create({ replSet: { count: 3 } })
 * await mongoose.connect(replicaSet.getUri())
 * await mongoose.connection.transaction(async () => {})
 * await mongoose.disconnect()
 * await replicaSet.stop()
 * ```
 */
export class MongoMemoryReplSet extends EventEmitter<{ stateChange: [MongoMemoryReplSetState] }> {
  /** The options it was created with. */
  readonly opts: MongoMemoryReplSetOptions
  /** The one server that acts for all members; empty before the start and after a cleanup. */
  servers: MongoMemoryServer[] = []
  #state: MongoMemoryReplSetState = 'stopped'

  /**
   * @param opts - the options of `mongodb-memory-server`, without those of the binary and the processes
   * @throws {TypeError} if an option cannot be honoured, with its name
   */
  constructor(opts: MongoMemoryReplSetOptions = {}) {
    super()
    checkOptions(opts, replicaSetChecks)
    this.opts = opts
  }

  /**
   * Creates a replica set and starts it.
   * @param opts - see the constructor
   * @returns the running replica set
   * @throws {TypeError} if an option cannot be honoured, with its name
   * @throws {Error} if the server cannot be started
   */
  static async create(opts?: MongoMemoryReplSetOptions): Promise<MongoMemoryReplSet> {
    const replicaSet = new MongoMemoryReplSet(opts)
    await replicaSet.start()
    return replicaSet
  }

  /** What the replica set does. */
  get state(): MongoMemoryReplSetState {
    return this.#state
  }

  /**
   * Starts the replica set.
   * @throws {Error} if it runs, or if the server cannot be started
   */
  async start(): Promise<void> {
    this.#requireState('start', 'stopped')
    this.#change('init')
    try {
      this.servers = this.servers.length > 0 ? this.servers : [this.#createServer()]
      await Promise.all(this.servers.map((server) => server.start()))
    } catch (error) {
      this.#change('stopped')
      throw error
    }
    this.#change('running')
  }

  /**
   * Waits for a start that has begun.
   * @throws {Error} if none has begun, or if it fails
   */
  async waitUntilRunning(): Promise<void> {
    this.#requireState('waitUntilRunning', 'init', 'running')
    if (this.#state === 'init') await new Promise((resolve) => this.once('stateChange', resolve))
    this.#requireState('waitUntilRunning', 'running')
  }

  /**
   * Returns the connection string.
   * @param otherDb - the database in its path; an empty text by default, which clients read as `test`
   * @param otherIp - the host, `127.0.0.1` by default
   * @returns for example `mongodb://127.0.0.1:41231/?replicaSet=testset`
   * @throws {Error} if the replica set does not run
   */
  getUri(otherDb?: string, otherIp?: string): string {
    this.#requireState('getUri', 'running')
    const [server] = this.servers
    return `${server?.getUri(otherDb, otherIp)}?replicaSet=${encodeURIComponent(this.#name)}`
  }

  /**
   * Stops the replica set and closes the connections of its clients.
   * @param cleanup - what is removed; by default what was stored in memory, and not the folder of `dbPath`
   * @returns true
   */
  async stop(cleanup: Cleanup = { doCleanup: true }): Promise<boolean> {
    await Promise.all(this.servers.map((server) => server.stop({ doCleanup: false })))
    this.#change('stopped')
    if (cleanup.doCleanup) await this.cleanup(cleanup)
    return true
  }

  /**
   * Removes the data of a stopped replica set.
   * @param cleanup - by default what was stored in memory is removed, and not the folder of `dbPath`
   * @throws {Error} if the replica set is not stopped
   */
  async cleanup(cleanup: Cleanup = { doCleanup: true }): Promise<void> {
    this.#requireState('cleanup', 'stopped')
    if (!cleanup.doCleanup) return
    await Promise.all(this.servers.map((server) => server.cleanup(cleanup)))
    this.servers = []
  }

  /** Stops the replica set at the end of the block of `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { enabled = true, cleanup } = this.opts.replSet?.dispose ?? {}
    if (enabled) await this.stop(cleanup)
  }

  get #name(): string {
    return this.opts.replSet?.name ?? 'testset'
  }

  #createServer(): MongoMemoryServer {
    const { ip, dbName, storageEngine } = this.opts.replSet ?? {}
    const [instance] = this.opts.instanceOpts ?? []
    return new MongoMemoryServer({
      instance: { ip, dbName, storageEngine, ...instance, replSet: this.#name },
    })
  }

  #change(state: MongoMemoryReplSetState): void {
    this.#state = state
    this.emit('stateChange', state)
  }

  #requireState(method: string, ...states: MongoMemoryReplSetState[]): void {
    if (states.includes(this.#state)) return
    throw new Error(
      `MongoMemoryReplSet.${method}: the state is '${this.#state}', it must be '${states.join("' or '")}'.`,
    )
  }
}
