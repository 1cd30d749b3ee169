import cluster, { type Address, type Worker } from 'node:cluster'
import { once } from 'node:events'
import { type Ending } from './lifecycle.ts'
import { sendStop } from './pool-messages.ts'
import { settleWithin } from './settle-within.ts'

/** A worker that serves, or is about to. */
export interface PoolWorker {
  readonly pid: number | undefined
  /** The port, once it listens; rejects when it ends before. */
  readonly port: Promise<number>
  /** How it ended, and after how many milliseconds. */
  readonly end: Promise<WorkerEnd>
  /** Asks it to stop. */
  ask(): void
  /**
   * Sends it a signal.
   * @param signal - `SIGTERM` unless given
   */
  kill(signal?: NodeJS.Signals): void
}

/** How a worker ended. */
export interface WorkerEnd {
  readonly code: number | null
  readonly signal: string | null
  readonly lifetime: number
}

// What a worker may take to end after its own deadline.
const graceMs = 1500

/**
 * Starts a process that runs the same program as this one.
 * @param env - variables it gets besides those of this process
 * @returns the worker
 */
export function forkWorker(env: Readonly<Record<string, string>>): PoolWorker {
  // The workers accept for themselves: a connection that this process hands to one that is dying
  // would be answered by nobody, and closed by nobody.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const worker = cluster.fork(env)
  const born = performance.now()
  const end = once(worker, 'exit').then(([code, signal]) => {
    return { code, signal, lifetime: performance.now() - born }
  })
  return {
    pid: worker.process.pid,
    port: Promise.race([portOf(worker), end.then(rejectEarly)]),
    end,
    ask: () => sendStop(worker),
    kill: (signal) => void worker.process.kill(signal),
  }
}

/**
 * Stops a worker, by force when it takes longer than it may.
 * @param worker - a worker that serves
 * @param timeoutMs - what it was given to answer its requests
 * @returns how it ended
 */
export async function stopWorker(worker: PoolWorker, timeoutMs: number): Promise<Ending> {
  worker.ask()
  if (!(await settleWithin(timeoutMs + graceMs, worker.end))) worker.kill('SIGKILL')
  return (await worker.end).code === 0 ? 'finished' : 'forced'
}

async function portOf(worker: Worker): Promise<number> {
  const [address]: Address[] = await once(worker, 'listening')
  return address?.port ?? 0
}

function rejectEarly({ code, signal }: WorkerEnd): never {
  throw new Error(`A worker ended with ${code ?? signal} before it listened; its output says why.`)
}
