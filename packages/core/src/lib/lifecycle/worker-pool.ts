import { type Logger } from '../logging/logger.ts'
import { createBackoff } from './backoff.ts'
import { type Ending } from './lifecycle.ts'
import { forkWorker, type PoolWorker, stopWorker, type WorkerEnd } from './worker.ts'

/** What a pool needs to know. */
export interface WorkerPoolOptions {
  /** How many workers. */
  readonly size: number
  /** Variables that the workers get besides those of this process. */
  readonly env: Readonly<Record<string, string>>
  /** Milliseconds that a worker gets to answer its requests. */
  readonly stopTimeout: number
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
}

/** Processes that serve one port, each running the same program as this one. */
export interface WorkerPool {
  /**
   * Starts the workers.
   * @returns the port they listen on
   * @throws Error when one ends before it listens
   */
  start(): Promise<number>
  /**
   * Replaces the workers one by one, each when its successor listens.
   * @throws Error when a successor cannot start; the workers that are left go on
   */
  restart(): Promise<void>
  /** Stops all of them. */
  stop(): Promise<Ending>
}

/**
 * Makes a pool of workers. One that dies is replaced: at once after a settled life, else after a
 * pause that doubles, so that a program that cannot start does not take the machine.
 * @param options - size and times
 * @returns the pool, not started
 */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { size, env, stopTimeout, logger } = options
  const workers = new Map<PoolWorker, 'starting' | 'serving' | 'leaving'>()
  const stopped = new AbortController()
  const backoff = createBackoff({
    signal: stopped.signal,
    onFailure: (err) => logger.error({ err }, 'a worker could not start: trying again'),
  })

  async function launch(): Promise<number> {
    const worker = forkWorker(env)
    workers.set(worker, 'starting')
    void worker.end.then((end) => onEnd(worker, end))
    const port = await worker.port
    workers.set(worker, 'serving')
    logger.info({ worker: worker.pid }, 'worker serves')
    return port
  }

  function onEnd(worker: PoolWorker, { lifetime, ...how }: WorkerEnd): void {
    const state = workers.get(worker)
    workers.delete(worker)
    if (state !== 'serving' || stopped.signal.aborted) return
    logger.error({ worker: worker.pid, ...how }, 'a worker has ended: replacing it')
    void backoff.retry(launch, lifetime)
  }

  async function retire(worker: PoolWorker): Promise<Ending> {
    workers.set(worker, 'leaving')
    return stopWorker(worker, stopTimeout)
  }

  async function restart(): Promise<void> {
    for (const [worker] of new Map(workers)) {
      await launch()
      if (workers.get(worker) === 'serving') await retire(worker)
    }
  }

  async function stop(): Promise<Ending> {
    stopped.abort()
    for (const [worker, state] of workers) if (state === 'starting') worker.kill()
    const asked = [...workers].filter(([, state]) => state !== 'starting')
    const endings = await Promise.all(asked.map(([worker]) => retire(worker)))
    return endings.includes('forced') ? 'forced' : 'finished'
  }

  return { start: () => startAll({ size, launch, stop }), restart: once(restart), stop }
}

// Asked again while it is under way, it is the same one.
function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}

async function startAll(pool: {
  size: number
  launch: () => Promise<number>
  stop: () => Promise<Ending>
}): Promise<number> {
  try {
    const [port = 0] = await Promise.all(Array.from({ length: pool.size }, pool.launch))
    return port
  } catch (error) {
    await pool.stop()
    throw error
  }
}
