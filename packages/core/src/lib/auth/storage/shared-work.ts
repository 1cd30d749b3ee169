import { ApiError } from '../../errors/api-error.ts'
import { collectTurn, type Turn } from '../../runtime/turn.ts'
import { within } from '../../runtime/within.ts'

// Reads by key that are requested in one turn of the event loop are loaded with one query, no key
// twice. Nothing is cached: each read starts after it was requested, and sees what was written before.
// It throws ApiError `timeout` when `load` takes more than 10 s.
export function batchReads<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  let batch: Turn<Set<string>, ReadonlyMap<string, Value>> | undefined
  return async (key) => {
    batch ??= collectTurn(new Set(), (keys) => {
      batch = undefined
      return withDatabaseTimeout(load([...keys]))
    })
    batch.items.add(key)
    return (await batch.result).get(key)
  }
}

export type SingleFlight<T> = (key: string, work: () => Promise<T>) => Promise<T>

// Concurrent calls with one key share one run of the work. An entry lives only while the work runs:
// this is not a cache. Work that takes more than 10 s throws ApiError `timeout`, so that it cannot
// block its key.
export function createSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Promise<T>>()
  return (key, work) => {
    const running = flights.get(key)
    if (running) return running
    const flight = withDatabaseTimeout(work()).finally(() => flights.delete(key))
    flights.set(key, flight)
    return flight
  }
}

// Longer than any wait that the driver bounds (decision 040).
const timeoutMs = 10_000

// The driver never settles a command that is sent on a connection while it closes: without a timeout all
// requests that share the work would hang.
export function withDatabaseTimeout<T>(work: Promise<T>): Promise<T> {
  return within(timeoutMs, work, () => {
    const cause = new Error(`The database did not respond within ${timeoutMs} ms.`)
    throw new ApiError('timeout', { cause })
  })
}
