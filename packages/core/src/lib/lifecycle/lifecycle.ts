import { type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database } from '../database/connect.ts'
import { type Logger } from '../logging/logger.ts'
import { closeServer, listen } from './http-server.ts'
import { stopWithProcess } from './process-events.ts'
import { type Part, startParts, stopParts } from '../kernel/parts.ts'
import { settleWithin } from '../kernel/within.ts'
import {
  createStartStop,
  type Ending,
  type Lifecycle,
  type Started,
  type StartOptions,
} from './start-stop.ts'

export interface LifecycleSettings {
  readonly host: string
  readonly port: number
  /** Milliseconds between failing readiness and refusing new connections. */
  readonly drainDelay: number
  /** Milliseconds from the call of `stop` to its end. */
  readonly shutdownTimeout: number
  /** Whether uncaught errors stop the process. */
  readonly stopsOnError: boolean
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error' | 'fatal'>
  createServer(): Server
  connect(options: StartOptions): Promise<Database | undefined>
  /** Started after the database is connected, stopped before it. */
  readonly parts: readonly Part[]
  /** Called when readiness begins to fail. */
  onDrain(): void
  /** Finishes work that needs the database, after the last response. */
  beforeDatabaseStops(): Promise<void>
  /** Called when the server listens. */
  onStart(started: Started): void
}

// Left for closing the database when draining has used up the time.
const minClosingMs = 1000

export function createLifecycle(settings: LifecycleSettings): Lifecycle {
  let database: Database | undefined
  let removeListeners: (() => void) | undefined

  async function open(options: StartOptions): Promise<Started> {
    database = await settings.connect(options)
    try {
      await startParts(settings.parts)
      const server = settings.createServer()
      const url = await listen(server, options.port ?? settings.port, settings.host)
      if (options.signals ?? true) removeListeners = stopWithProcess(lifecycle, settings)
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
    const left = Math.max(minClosingMs, deadline - performance.now())
    const isClosed = await settleWithin(left, disconnect())
    removeListeners?.()
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
