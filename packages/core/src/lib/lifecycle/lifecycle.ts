import { type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database } from '../database/connect.ts'
import { closeServer, listen } from './http-server.ts'
import { createPrimary, type PrimarySettings } from './primary.ts'
import { stopWithProcess } from './process-events.ts'
import { type Part, startParts, stopParts } from '../kernel/parts.ts'
import { type ProcessRole } from '../kernel/process-role.ts'
import { settleWithin } from '../kernel/within.ts'
import {
  createStartStop,
  type Ending,
  type Lifecycle,
  type Started,
  type StartOptions,
} from './start-stop.ts'

export interface LifecycleSettings extends PrimarySettings {
  readonly role: ProcessRole
  readonly port: number
  /** Milliseconds between failing readiness and refusing new connections. */
  readonly drainDelay: number
  /** Connection to Redis, if there is one; it runs where requests are served. */
  readonly redis: Part | undefined
  createServer(): Server
  connect(options: StartOptions): Promise<Database | undefined>
  /** Called when readiness begins to fail. */
  onDrain(): void
}

// Left for closing the database when draining has used up the time.
const minClosingMs = 1000

export function createLifecycle(settings: LifecycleSettings): Lifecycle {
  return settings.role === 'primary' ? createPrimary(settings) : createService(settings)
}

function createService(settings: LifecycleSettings): Lifecycle {
  const parts = [...(settings.redis ? [settings.redis] : []), ...settings.parts]
  let database: Database | undefined
  let removeListeners: (() => void) | undefined

  async function open(options: StartOptions): Promise<Started> {
    database = await settings.connect(options)
    try {
      await startParts(parts)
      const server = settings.createServer()
      const url = await listen(server, options.port ?? settings.port, settings.host)
      if (options.signals ?? true) removeListeners = stopWithProcess(lifecycle, settings)
      const started = { url, server, database }
      settings.onStart(started)
      return started
    } catch (error) {
      await stopParts(parts)
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
    await stopParts(parts)
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
