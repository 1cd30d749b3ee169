import { type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database } from '../database/connect.ts'
import { type Logger } from '../logging/logger.ts'
import { closeServer } from './close-server.ts'
import { listen } from './listen.ts'
import { endWithProcess } from './process-events.ts'
import { type Part, startParts, stopParts } from './parts.ts'
import { settleWithin } from './settle-within.ts'
import { createStartStop } from './start-stop.ts'

/** Options for `api.start()`. */
export interface StartOptions {
  /**
   * TCP port; 0 takes a free one.
   * @default the configured port
   */
  port?: number | undefined
  /**
   * Name of the database on the server.
   * @default the one in the URI
   */
  databaseName?: string | undefined
  /**
   * Whether SIGTERM, SIGINT and, outside tests, uncaught errors stop the API and end the process.
   * @default true
   */
  signals?: boolean | undefined
}

/** Where a started API listens. */
export interface Started {
  /** Address with scheme and port: `http://localhost:3000`. */
  readonly url: string
  /** The HTTP server; undefined in the first of several `workers`, which only looks after them. */
  readonly server: Server | undefined
  /** The database; undefined without one, and in the first of several `workers`. */
  readonly database: Database | undefined
}

/** How an API stopped: by itself, or because its time was up. */
export type Ending = 'finished' | 'forced'

/** What a lifecycle needs to know. */
export interface LifecycleSettings {
  readonly host: string
  readonly port: number
  /** Time in milliseconds between failing readiness and closing the door. */
  readonly drainDelay: number
  /** Time in milliseconds from the call of `stop` to its end. */
  readonly shutdownTimeout: number
  /** Whether uncaught errors end the process. */
  readonly endsOnError: boolean
  /** Hears why the process ends. */
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error' | 'fatal'>
  createServer(): Server
  connect(options: StartOptions): Promise<Database | undefined>
  /** Started when the database is there, stopped before it. */
  readonly parts: readonly Part[]
  /** Called when readiness begins to fail. */
  onDrain(): void
  /** Finishes what still needs the database when the last request has been answered. */
  beforeDatabaseStops(): Promise<void>
  /** Called when requests are served. */
  onStart(started: Started): void
}

/** Starts and stops an API. */
export interface Lifecycle {
  readonly started: Started | undefined
  /** Whether the API is stopping: it is not ready, and answers close their connection. */
  readonly draining: boolean
  start(options?: StartOptions): Promise<Started>
  stop(): Promise<Ending>
}

// For the database, when the requests have used up the time.
const leastClosingMs = 1000

/**
 * Makes the lifecycle of one API: the database first, then the door; on the way out the door
 * first, then the database.
 * @param settings - address, times and parts
 * @returns the lifecycle
 */
export function createLifecycle(settings: LifecycleSettings): Lifecycle {
  let database: Database | undefined
  let forgetProcess: (() => void) | undefined

  async function open(options: StartOptions): Promise<Started> {
    database = await settings.connect(options)
    try {
      await startParts(settings.parts)
      const server = settings.createServer()
      const url = await listen(server, options.port ?? settings.port, settings.host)
      if (options.signals ?? true) forgetProcess = endWithProcess(lifecycle, settings)
      const started = { url, server, database }
      settings.onStart(started)
      return started
    } catch (error) {
      await stopParts(settings.parts)
      await database?.stop()
      database = undefined
      throw error
    }
  }

  async function close(opened: () => Promise<Started | undefined>): Promise<Ending> {
    const server = (await opened())?.server
    const deadline = performance.now() + settings.shutdownTimeout
    const ending = server ? await drain(server, settings) : 'finished'
    const left = Math.max(leastClosingMs, deadline - performance.now())
    const isClosed = await settleWithin(left, disconnect())
    forgetProcess?.()
    return isClosed ? ending : 'forced'
  }

  async function disconnect(): Promise<void> {
    await settings.beforeDatabaseStops()
    await stopParts(settings.parts)
    await database?.stop()
  }

  const lifecycle: Lifecycle = createStartStop({ open, close })
  return lifecycle
}

async function drain(server: Server, settings: LifecycleSettings): Promise<Ending> {
  const { drainDelay, shutdownTimeout } = settings
  settings.onDrain()
  await sleep(drainDelay)
  return closeServer(server, shutdownTimeout - drainDelay)
}
