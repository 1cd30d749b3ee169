import { ApiError } from '../../errors/api-error.ts'

export interface HashGateOptions {
  /** Maximum hashes that run at the same time. */
  concurrency: number
  /** Maximum hashes that wait. */
  queue: number
  /** Maximum wait in milliseconds. */
  wait: number
}

// Bounds how many hashes run and how many wait; the rest is rejected. Hashing is slow on purpose: without
// a bound, a burst of logins would take processor and memory from every other route.
export interface HashGate {
  /** Throws ApiError `overloaded` when the queue is full. */
  requirePlace(): void
  /** Runs work in its turn; throws ApiError `overloaded` when the queue is full or the wait too long. */
  run<T>(work: () => Promise<T>): Promise<T>
}

interface Waiter {
  start: () => void
  timer: NodeJS.Timeout
}

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
    // The slot is passed on: no other hash can take it in between.
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
