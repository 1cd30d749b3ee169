import { type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database } from '../database/connect.ts'
import { listen, type Listening } from './http-server.ts'
import { createPrimary, type PrimarySettings, limitWorkerTime } from './primary.ts'
import { stopWithProcess } from './process-events.ts'
import { type Part, startParts, stopParts } from '../runtime/parts.ts'
import { type ProcessRole } from '../runtime/process-role.ts'
import { settleWithin } from '../runtime/within.ts'
import {
  type Closing,
  createStartStop,
  type Ending,
  type Lifecycle,
  type Started,
  type StartOptions,
  reserveTime,
} from './start-stop.ts'

export interface LifecycleSettings extends PrimarySettings {
  readonly role: ProcessRole
  readonly port: number
  /** Whether requests are served. */
  readonly listens: boolean
  /** Connection to Redis, if there is one; it runs where requests are served. */
  readonly redis: Part | undefined
  createServer(): Server
  connect(options: StartOptions): Promise<Database | undefined>
  /** Called when readiness begins to fail. */
  onDrain(): void
}

export function createLifecycle(settings: LifecycleSettings): Lifecycle {
  if (settings.role === 'primary') return createPrimary(settings)
  if (settings.role === 'alone') return createService(settings)
  return createService({ ...settings, shutdownTimeout: limitWorkerTime(settings) })
}

function createService(settings: LifecycleSettings): Lifecycle {
  const parts = [...(settings.redis ? [settings.redis] : []), ...settings.parts]
  let database: Database | undefined
  let listening: Listening | undefined
  let removeListeners: (() => void) | undefined

  async function open(options: StartOptions): Promise<Started> {
    database = await settings.connect(options)
    try {
      await startParts(parts)
      const server = settings.listens ? settings.createServer() : undefined
      if (server) listening = await listen(server, options.port ?? settings.port, settings.host)
      if (options.signals ?? true) removeListeners = stopWithProcess(lifecycle, settings)
      const started = { url: listening?.url ?? '', server, database }
      settings.onStart(started)
      return started
    } catch (error) {
      await stopParts(parts)
      await database?.stop()
      database = undefined
      throw error
    }
  }

  async function close({ opened, timeLeft }: Closing): Promise<Ending> {
    const reserve = reserveTime(settings)
    await opened()
    if (!listening) settings.onDrain()
    const ending = listening ? await drain(listening, () => timeLeft() - reserve) : 'finished'
    // E-mails that hang must not keep the database open.
    const left = timeLeft() - reserve / 2
    const isDone = await settleWithin(left, settings.beforeDatabaseStops(left))
    await Promise.all([stopParts(parts), database?.stop()])
    removeListeners?.()
    return isDone ? ending : 'forced'
  }

  async function drain(server: Listening, timeLeft: () => number): Promise<Ending> {
    settings.onDrain()
    await sleep(settings.drainDelay)
    settings.onClose()
    return server.close(timeLeft())
  }

  const lifecycle: Lifecycle = createStartStop({ ...settings, open, close })
  return lifecycle
}
