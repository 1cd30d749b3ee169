import { EventEmitter } from 'node:events'
import { rm } from 'node:fs/promises'
import { resolveOptions, type Settings } from '../host/options.ts'
import { type ServedDatabase } from '../host/serve-database.ts'
import { serveInThread } from '../host/serve-in-thread.ts'
import {
  checkOptions,
  type Cleanup,
  type MemoryServerInstanceOptions,
  type MongoMemoryServerOptions,
  serverChecks,
} from './options.ts'

/** What a {@link MongoMemoryServer} does. */
export type MongoMemoryServerState = 'new' | 'starting' | 'running' | 'stopped'

/** A server that runs, or has been stopped without being cleaned up. */
export interface MemoryServerInfo {
  /** TCP port on `ip`. */
  port: number
  /** The address it listens on. */
  ip: string
  /** The option `instance.dbName`, otherwise an empty text. */
  dbName: string
  /** The folder of the data; undefined in memory. */
  dbPath: string | undefined
  /** The option `instance.storageEngine`. */
  storageEngine: 'ephemeralForTest' | 'wiredTiger'
  /** Name of the replica set in responses of `hello`. */
  replSet: string
}

/**
 * A database for tests with the interface of `mongodb-memory-server`. It runs in a thread of this process: nothing
 * is downloaded and no process is started.
 * @fires stateChange with the new state
 * @example
 * ```ts
 * import { MongoMemoryServer } from '@create-api/embedded-mongo'
 * import mongoose from 'mongoose'
 *
 * const server = await MongoMemoryServer.create()
 * await mongoose.connect(server.getUri())
 * // …
 * await mongoose.disconnect()
 * await server.stop()
 * ```
 */
export class MongoMemoryServer extends EventEmitter<{ stateChange: [MongoMemoryServerState] }> {
  /** The options it was created with. */
  readonly opts: MongoMemoryServerOptions
  #state: MongoMemoryServerState = 'new'
  #info: MemoryServerInfo | undefined
  #served: ServedDatabase | undefined

  /**
   * @param opts - the options of `mongodb-memory-server`, without those of the binary and the process
   * @throws {TypeError} if an option cannot be honoured, with its name
   */
  constructor(opts: MongoMemoryServerOptions = {}) {
    super()
    checkOptions(opts, serverChecks)
    this.opts = opts
  }

  /**
   * Creates a server and starts it.
   * @param opts - see the constructor
   * @returns the running server
   * @throws {TypeError} if an option cannot be honoured, with its name
   * @throws {Error} if the port is taken and `portGeneration` is false, or the folder of `dbPath` cannot be used
   */
  static async create(opts?: MongoMemoryServerOptions): Promise<MongoMemoryServer> {
    const server = new MongoMemoryServer(opts)
    await server.start()
    return server
  }

  /** What the server does. */
  get state(): MongoMemoryServerState {
    return this.#state
  }

  /** The running server; undefined before the start and after a cleanup. */
  get instanceInfo(): MemoryServerInfo | undefined {
    return this.#info
  }

  /**
   * Starts the server.
   * @param forceSamePort - whether only the configured or last port may be used; the default is the opposite of the
   * option `portGeneration`
   * @throws {Error} if it runs, if the port is taken, if the folder of `dbPath` cannot be used, or if it is started
   * again after a stop that was to keep data in memory
   */
  async start(forceSamePort = this.opts.instance?.portGeneration === false): Promise<void> {
    this.#requireState('start', 'new', 'stopped')
    const { dbPath, replSet, port = 0 } = this.opts.instance ?? {}
    if (this.#info && dbPath === undefined) {
      throw new Error(
        'MongoMemoryServer.start: the data was in memory and is lost. Call cleanup() first, or keep the data in the folder of instance.dbPath.',
      )
    }
    const settings = resolveOptions({
      storage: dbPath === undefined ? { memory: true } : { directory: dbPath },
      port: this.#info?.port ?? port,
      replicaSet: replSet,
      onMessage: () => {},
    })
    this.#change('starting')
    try {
      this.#served = await serveOn(settings, { forceSamePort })
    } catch (error) {
      this.#change('stopped')
      throw error
    }
    this.#info = describe(this.#served, settings, this.opts.instance)
    this.#change('running')
  }

  /**
   * Starts the server unless it runs, and waits for a start that has begun.
   * @returns the running server
   * @throws {Error} if it cannot be started
   */
  async ensureInstance(): Promise<MemoryServerInfo> {
    if (this.#state === 'starting') {
      await new Promise((resolve) => this.once('stateChange', resolve))
    } else if (this.#state !== 'running') {
      await this.start()
    }
    if (!this.#info || this.#state !== 'running') {
      throw new Error('MongoMemoryServer.ensureInstance: the start has failed.')
    }
    return this.#info
  }

  /**
   * Returns the connection string, which has no query.
   * @param otherDb - the database in its path; an empty text by default, which clients read as `test`
   * @param otherIp - the host, `127.0.0.1` by default
   * @returns for example `mongodb://127.0.0.1:41231/`
   * @throws {Error} if the server does not run
   */
  getUri(otherDb = '', otherIp = '127.0.0.1'): string {
    this.#requireState('getUri', 'running')
    return `mongodb://${otherIp}:${this.#info?.port}/${otherDb}`
  }

  /**
   * Stops the server and closes the connections of its clients.
   * @param cleanup - what is removed; by default what was stored in memory, and not the folder of `dbPath`
   * @returns false if it was never started
   */
  async stop(cleanup: Cleanup = { doCleanup: true }): Promise<boolean> {
    if (!this.#info) return false
    await this.#served?.stop()
    this.#served = undefined
    this.#change('stopped')
    if (cleanup.doCleanup) await this.cleanup(cleanup)
    return true
  }

  /**
   * Removes the data of a stopped server.
   * @param cleanup - by default what was stored in memory is removed, and not the folder of `dbPath`
   * @throws {Error} if the server is not stopped
   */
  async cleanup(cleanup: Cleanup = { doCleanup: true }): Promise<void> {
    this.#requireState('cleanup', 'stopped')
    if (!cleanup.doCleanup) return
    if (cleanup.force && this.#info?.dbPath !== undefined) {
      await rm(this.#info.dbPath, { recursive: true, force: true })
    }
    this.#info = undefined
    this.#change('new')
  }

  /** Stops the server at the end of the block of `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { enabled = true, cleanup } = this.opts.dispose ?? {}
    if (enabled) await this.stop(cleanup)
  }

  #change(state: MongoMemoryServerState): void {
    this.#state = state
    this.emit('stateChange', state)
  }

  #requireState(method: string, ...states: MongoMemoryServerState[]): void {
    if (states.includes(this.#state)) return
    throw new Error(
      `MongoMemoryServer.${method}: the state is '${this.#state}', it must be '${states.join("' or '")}'.`,
    )
  }
}

function describe(
  { uri }: ServedDatabase,
  { directory, replicaSet }: Settings,
  options: MemoryServerInstanceOptions = {},
): MemoryServerInfo {
  const { ip = '127.0.0.1', dbName = '', storageEngine = 'wiredTiger' } = options
  const port = Number(/:(\d+)\//.exec(uri)?.[1])
  return { port, ip, dbName, dbPath: directory, storageEngine, replSet: replicaSet }
}

async function serveOn(
  settings: Settings,
  { forceSamePort }: { forceSamePort: boolean },
): Promise<ServedDatabase> {
  const served = await serveInThread(settings).catch((error: unknown) => {
    if (forceSamePort || settings.port === 0) throw error
    return serveInThread({ ...settings, port: 0 })
  })
  if (!served) throw new Error(`${settings.directory} is in use by another server or process.`)
  return served
}
