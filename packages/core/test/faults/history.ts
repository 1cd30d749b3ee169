import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Reply } from './client.ts'

/** One operation: when it began and ended, in milliseconds, and how. */
export interface Operation {
  readonly name: string
  readonly start: number
  readonly end: number
  /** Undefined when the connection broke before the response was whole. */
  readonly response: Reply | undefined
}

/** Every operation of a scenario. */
export interface History {
  readonly operations: readonly Operation[]
  /** Does one operation and notes it. */
  note(name: string, work: () => Promise<Reply>): Promise<Reply | undefined>
  /** Does operations at a rate per second until it is stopped; resolves when all have ended. */
  atRate(rate: number, signal: AbortSignal, work: () => Promise<unknown>): Promise<void>
  /** Does one operation after the other, in several strands, until it is stopped. */
  inStrands(
    count: number,
    signal: AbortSignal,
    work: (strand: number) => Promise<unknown>,
  ): Promise<void>
}

/**
 * Begins a history. `FAULTS_HISTORY=<file>` keeps it, one JSON object per line.
 * @returns the history
 */
export function createHistory(): History {
  const operations: Operation[] = []
  const file = process.env['FAULTS_HISTORY']

  return {
    operations,
    async note(name, work) {
      const start = performance.now()
      const response = await work().catch(() => undefined)
      const operation = { name, start, end: performance.now(), response }
      operations.push(operation)
      if (file) writeFileSync(file, `${JSON.stringify(operation)}\n`, { flag: 'a' })
      return response
    },
    async atRate(rate, signal, work) {
      const running: Promise<unknown>[] = []
      const start = performance.now()
      while (!signal.aborted) {
        const due = ((performance.now() - start) / 1000) * rate
        while (running.length < due) running.push(work())
        await sleep(10)
      }
      await Promise.all(running)
    },
    async inStrands(count, signal, work) {
      const strands = Array.from({ length: count }, async (_, strand) => {
        while (!signal.aborted) await work(strand)
      })
      await Promise.all(strands)
    },
  }
}

/**
 * Counts operations by what came back.
 * @param operations - of a history
 * @returns how many for each status; `broken` without a response
 */
export function countStatuses(operations: readonly Operation[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { response } of operations) {
    const key = String(response?.status ?? 'broken')
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}
