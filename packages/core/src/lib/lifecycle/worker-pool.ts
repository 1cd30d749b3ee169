import cluster, { type Address, type Worker } from 'node:cluster'
import { once } from 'node:events'
import { type Logger } from '../logging/logger.ts'
import { createBackoff } from './backoff.ts'
import { settleWithin } from '../runtime/within.ts'
import { type Ending } from './start-stop.ts'
import { sendStop } from './pool-messages.ts'

export interface WorkerPoolOptions {
  /** Number of workers. */
  readonly size: number
  /** Environment variables of the workers, in addition to those of this process. */
  readonly env: Readonly<Record<string, string>>
  /** Milliseconds after which a worker that was asked to stop is killed. */
  readonly stopTimeout: number
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
}

export interface WorkerPool {
  /**
   * Starts the workers.
   * @returns the port they listen on
   * @throws Error when one exits before it listens
   */
  start(): Promise<number>
  /**
   * Replaces the workers one by one, each after its successor listens.
   * @throws Error when a successor cannot start; the remaining workers keep serving
   */
  restart(): Promise<void>
  /** Stops all of them. */
  stop(): Promise<Ending>
}

// A worker that dies is replaced: at once if it ran for a while, otherwise after a delay that doubles,
// so that a program that cannot start does not occupy the machine.
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { size, env, stopTimeout, logger } = options
  const workers = new Map<PoolWorker, 'starting' | 'serving' | 'leaving'>()
  const stopped = new AbortController()
  const backoff = createBackoff({
    signal: stopped.signal,
    onFailure: (err) => logger.error({ err }, 'worker could not start, retrying'),
  })

  async function launch(): Promise<number> {
    const worker = forkWorker(env)
    workers.set(worker, 'starting')
    void worker.exited.then((exit) => onExit(worker, exit))
    const port = await worker.port
    workers.set(worker, 'serving')
    logger.info({ worker: worker.pid }, 'worker listening')
    return port
  }

  function onExit(worker: PoolWorker, { lifetime, ...how }: WorkerExit): void {
    const state = workers.get(worker)
    workers.delete(worker)
    if (state !== 'serving' || stopped.signal.aborted) return
    logger.error({ worker: worker.pid, ...how }, 'worker exited, replacing it')
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
    const running = [...workers].filter(([, state]) => state !== 'starting')
    const endings = await Promise.all(running.map(([worker]) => retire(worker)))
    return endings.includes('forced') ? 'forced' : 'finished'
  }

  return { start: () => startAll(size, launch, stop), restart: shareRun(restart), stop }
}

// Calls during a run share that run.
function shareRun(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}

async function startAll(
  size: number,
  launch: () => Promise<number>,
  stop: () => Promise<Ending>,
): Promise<number> {
  try {
    const [port = 0] = await Promise.all(Array.from({ length: size }, launch))
    return port
  } catch (error) {
    await stop()
    throw error
  }
}

interface PoolWorker {
  readonly pid: number | undefined
  /** The port, once it listens; rejects when it exits before. */
  readonly port: Promise<number>
  readonly exited: Promise<WorkerExit>
  /** Requests a graceful stop. */
  requestStop(): void
  /**
   * Sends it a signal.
   * @param signal - `SIGTERM` by default
   */
  kill(signal?: NodeJS.Signals): void
}

interface WorkerExit {
  readonly code: number | null
  readonly signal: string | null
  /** Milliseconds from the fork. */
  readonly lifetime: number
}

function forkWorker(env: Readonly<Record<string, string>>): PoolWorker {
  // The workers accept connections themselves: a connection handed to a dying worker would get neither
  // a response nor be closed.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const worker = cluster.fork(env)
  const startedAt = performance.now()
  const exited = once(worker, 'exit').then(([code, signal]) => {
    return { code, signal, lifetime: performance.now() - startedAt }
  })
  return {
    pid: worker.process.pid,
    port: Promise.race([portOf(worker), exited.then(rejectEarly)]),
    exited,
    requestStop: () => sendStop(worker),
    kill: (signal) => void worker.process.kill(signal),
  }
}

async function stopWorker(worker: PoolWorker, timeoutMs: number): Promise<Ending> {
  worker.requestStop()
  if (!(await settleWithin(timeoutMs, worker.exited))) worker.kill('SIGKILL')
  return (await worker.exited).code === 0 ? 'finished' : 'forced'
}

async function portOf(worker: Worker): Promise<number> {
  const [address]: Address[] = await once(worker, 'listening')
  return address?.port ?? 0
}

function rejectEarly({ code, signal }: WorkerExit): never {
  throw new Error(
    `A worker exited with ${code ?? signal} before it listened; see its output for the cause.`,
  )
}
