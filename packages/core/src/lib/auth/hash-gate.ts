import { ApiError } from '../errors/api-error.ts'

/** Options for {@link createHashGate}. */
export interface HashGateOptions {
  /** Hashes that run at the same time. */
  concurrency: number
  /** Hashes that may wait for their turn. */
  queue: number
  /** Longest wait in milliseconds. */
  wait: number
}

/** Lets a bounded number of hashes run, a bounded number wait, and turns the rest away. */
export interface HashGate {
  /**
   * Looks whether there is a place, in the queue at least.
   * @throws ApiError `overloaded` when there is none
   */
  requirePlace(): void
  /**
   * Runs work when its turn comes.
   * @param work - what to run
   * @returns its result
   * @throws ApiError `overloaded` when the queue is full or the wait too long
   */
  run<T>(work: () => Promise<T>): Promise<T>
}

interface Waiter {
  start: () => void
  timer: NodeJS.Timeout
}

/**
 * Makes a gate. Hashing is made to be slow: without a bound, a burst of logins would take the
 * processor from every other route, and memory with it.
 * @param options - concurrency, queue and wait
 * @returns the gate
 */
export function createHashGate(options: HashGateOptions): HashGate {
  const waiting: Waiter[] = []
  let running = 0

  function requirePlace(): void {
    if (running >= options.concurrency && waiting.length >= options.queue) throw overloaded()
  }

  function enter(): Promise<void> | undefined {
    requirePlace()
    if (running < options.concurrency) {
      running++
      return undefined
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1)
        reject(overloaded())
      }, options.wait)
      const waiter: Waiter = { start: resolve, timer }
      waiting.push(waiter)
    })
  }

  function leave(): void {
    const next = waiting.shift()
    if (!next) {
      running--
      return
    }
    // The place is handed on: nobody can slip in between.
    clearTimeout(next.timer)
    next.start()
  }

  return {
    requirePlace,
    async run(work) {
      await enter()
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

function overloaded(): ApiError {
  return new ApiError('overloaded', { headers: { 'Retry-After': '2' } })
}
