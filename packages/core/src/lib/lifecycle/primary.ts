import { randomBytes } from 'node:crypto'
import { type DatabaseServer } from '../database/database-server.ts'
import { type Logger } from '../logging/logger.ts'
import { type Ending, type Lifecycle, type Started, type StartOptions } from './start-stop.ts'
import { toUrl } from './http-server.ts'
import { type Part, startParts, stopParts } from '../kernel/parts.ts'
import { toPoolEnvironment } from './pool-messages.ts'
import { stopWithProcess } from './process-events.ts'
import { createStartStop } from './start-stop.ts'
import { createWorkerPool, type WorkerPool } from './worker-pool.ts'

export interface PrimarySettings {
  readonly workers: number
  readonly host: string
  readonly shutdownTimeout: number
  readonly stopsOnError: boolean
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error' | 'fatal'>
  /** Environment variables that all workers share, such as a random secret. */
  readonly env: Readonly<Record<string, string>>
  /** Run in the primary process while the workers run. */
  readonly parts: readonly Part[]
  /** Starts the embedded database, if it is used. */
  startDatabase(): Promise<DatabaseServer | undefined>
  /** Finishes work that needs the database, after the workers have stopped. */
  beforeDatabaseStops(): Promise<void>
  /** Called when all workers listen. */
  onStart(started: Started): void
}

// The first process of several: it runs the embedded database and the workers. SIGHUP replaces the
// workers one by one.
export function createPrimary(settings: PrimarySettings): Lifecycle {
  let database: DatabaseServer | undefined
  let pool: WorkerPool | undefined
  let removeListeners: (() => void) | undefined

  async function open({ signals = true }: StartOptions): Promise<Started> {
    database = await settings.startDatabase()
    pool = createPool(settings, database)
    // Before the workers start, so that a signal during the start reaches them too.
    if (signals) removeListeners = listenToProcess(lifecycle, pool, settings)
    try {
      await startParts(settings.parts)
      const port = await pool.start()
      const started = { url: toUrl(settings.host, port), server: undefined, database: undefined }
      settings.onStart(started)
      return started
    } catch (error) {
      removeListeners?.()
      await stopParts(settings.parts)
      await database?.stop()
      throw error
    }
  }

  async function close(opened: () => Promise<Started | undefined>): Promise<Ending> {
    const ending = (await pool?.stop()) ?? 'finished'
    const started = await opened()
    await settings.beforeDatabaseStops()
    await stopParts(settings.parts)
    if (started) await database?.stop()
    removeListeners?.()
    return ending
  }

  const lifecycle: Lifecycle = createStartStop({ open, close })
  return lifecycle
}

function createPool(settings: PrimarySettings, database: DatabaseServer | undefined): WorkerPool {
  const cursorSecret = randomBytes(32).toString('base64')
  const handover = toPoolEnvironment({ databaseUri: database?.uri, cursorSecret })
  return createWorkerPool({
    size: settings.workers,
    env: { ...settings.env, ...handover },
    stopTimeout: settings.shutdownTimeout,
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
