import { type DatabaseServer, startDatabaseServer } from '../database/database-server.ts'
import { type Environment } from '../options/options.ts'
import { type Logger } from '../logging/logger.ts'
import {
  type Closing,
  createStartStop,
  type Ending,
  type Lifecycle,
  type Started,
  type StartOptions,
  type StopTimes,
  reserveTime,
} from './start-stop.ts'
import { formatUrl } from './http-server.ts'
import { type Part, startParts, stopParts } from '../runtime/parts.ts'
import { toPoolEnvironment } from './pool-messages.ts'
import { stopWithProcess } from './process-events.ts'
import { createWorkerPool, type WorkerPool } from './worker-pool.ts'

export interface PrimarySettings extends StopTimes {
  readonly workers: number
  readonly host: string
  readonly environment: Environment
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error' | 'fatal'>
  /** Shared by all workers. */
  readonly secrets: readonly [string, ...string[]]
  /** False without one. An embedded database is started and shared by all workers. */
  readonly database: { readonly uri: string } | false
  /** Started after the database, stopped together with it. */
  readonly parts: readonly Part[]
  /** Finishes work that needs the database, after the last response and within the time that is left. */
  beforeDatabaseStops(timeLeftMs: number): Promise<void>
  /** Called when the server stops accepting connections, or before the workers stop. */
  onClose(): void
  /** Called when the server or all workers listen. */
  onStart(started: Started): void
}

// The first process of several: it runs the embedded database and the workers. SIGHUP replaces the
// workers one by one.
export function createPrimary(settings: PrimarySettings): Lifecycle {
  let database: DatabaseServer | undefined
  let pool: WorkerPool | undefined
  let removeListeners: (() => void) | undefined

  async function open({ signals = true }: StartOptions): Promise<Started> {
    if (settings.database) database = await startDatabaseServer(settings.database.uri)
    pool = createPool(settings, database)
    // Before the workers start, so that a signal during the start reaches them too.
    if (signals) removeListeners = listenToProcess(lifecycle, pool, settings)
    try {
      await startParts(settings.parts)
      const port = await pool.start()
      const started = {
        url: formatUrl(settings.host, port),
        server: undefined,
        database: undefined,
      }
      settings.onStart(started)
      return started
    } catch (error) {
      removeListeners?.()
      await stopParts(settings.parts)
      await database?.stop()
      throw error
    }
  }

  async function close({ opened }: Closing): Promise<Ending> {
    settings.onClose()
    const ending = (await pool?.stop()) ?? 'finished'
    const started = await opened()
    await settings.beforeDatabaseStops(reserveTime(settings))
    await stopParts(settings.parts)
    if (started) await database?.stop()
    removeListeners?.()
    return ending
  }

  const lifecycle: Lifecycle = createStartStop({ ...settings, open, close })
  return lifecycle
}

// Workers end before the primary process, which then closes the database.
export function limitWorkerTime(times: StopTimes): number {
  return times.shutdownTimeout - reserveTime(times)
}

function createPool(settings: PrimarySettings, database: DatabaseServer | undefined): WorkerPool {
  const { secrets, workers } = settings
  return createWorkerPool({
    size: workers,
    env: toPoolEnvironment({ databaseUri: database?.uri, secrets }),
    stopTimeout: limitWorkerTime(settings),
    logger: settings.logger,
  })
}

function listenToProcess(
  lifecycle: Lifecycle,
  pool: WorkerPool,
  settings: PrimarySettings,
): () => void {
  const removeStopListeners = stopWithProcess(lifecycle, settings)
  // In a terminal, SIGHUP means that the terminal was closed.
  if (process.stdout.isTTY) return removeStopListeners
  const onHangUp = (): void => {
    settings.logger.info({}, 'restarting the workers')
    pool.restart().then(
      () => settings.logger.info({}, 'workers restarted'),
      (error: unknown) =>
        settings.logger.error(
          { err: error },
          'rolling restart aborted; remaining workers keep serving',
        ),
    )
  }
  process.on('SIGHUP', onHangUp)
  return () => {
    process.off('SIGHUP', onHangUp)
    removeStopListeners()
  }
}
