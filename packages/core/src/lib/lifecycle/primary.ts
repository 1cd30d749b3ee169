import { randomBytes } from 'node:crypto'
import { type DatabaseServer } from '../database/database-server.ts'
import { type Logger } from '../logging/logger.ts'
import { type Ending, type Lifecycle, type Started, type StartOptions } from './lifecycle.ts'
import { toUrl } from './listen.ts'
import { type Part, startParts, stopParts } from './parts.ts'
import { toPoolEnvironment } from './pool-messages.ts'
import { endWithProcess } from './process-events.ts'
import { createStartStop } from './start-stop.ts'
import { createWorkerPool, type WorkerPool } from './worker-pool.ts'

/** What the first process of a pool needs to know. */
export interface PrimarySettings {
  readonly workers: number
  readonly host: string
  readonly shutdownTimeout: number
  readonly endsOnError: boolean
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error' | 'fatal'>
  /** Variables that the workers have to agree on, such as a secret made at random. */
  readonly env: Readonly<Record<string, string>>
  /** Runs beside the workers. */
  readonly parts: readonly Part[]
  /** Starts the embedded database, if it is the one to use. */
  startDatabase(): Promise<DatabaseServer | undefined>
  /** Finishes what still needs the database when the workers have gone. */
  beforeDatabaseStops(): Promise<void>
  /** Called when all workers serve. */
  onStart(started: Started): void
}

/**
 * Makes the lifecycle of the first of several processes: it serves nobody, but starts the workers,
 * replaces those that die and stops them. The embedded database runs in it. SIGHUP replaces the
 * workers one by one.
 * @param settings - number, times and parts
 * @returns the lifecycle
 */
export function createPrimary(settings: PrimarySettings): Lifecycle {
  let database: DatabaseServer | undefined
  let pool: WorkerPool | undefined
  let forgetProcess: (() => void) | undefined

  async function open({ signals = true }: StartOptions): Promise<Started> {
    database = await settings.startDatabase()
    pool = createPool(settings, database)
    // Before the workers: a signal while they start has to reach them too.
    if (signals) forgetProcess = listenToProcess(lifecycle, pool, settings)
    try {
      await startParts(settings.parts)
      const port = await pool.start()
      const started = { url: toUrl(settings.host, port), server: undefined, database: undefined }
      settings.onStart(started)
      return started
    } catch (error) {
      forgetProcess?.()
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
    forgetProcess?.()
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
  const forget = endWithProcess(lifecycle, settings)
  // For whoever runs it in a terminal, SIGHUP means that the terminal has gone.
  if (process.stdout.isTTY) return forget
  const onHangUp = (): void => {
    settings.logger.info({}, 'restarting the workers')
    pool.restart().then(
      () => settings.logger.info({}, 'workers restarted'),
      (error: unknown) =>
        settings.logger.error({ err: error }, 'restart given up: the rest goes on'),
    )
  }
  process.on('SIGHUP', onHangUp)
  return () => {
    process.off('SIGHUP', onHangUp)
    forget()
  }
}
