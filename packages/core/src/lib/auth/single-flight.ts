import { answeredInTime } from './answered-in-time.ts'

/** Runs work once for all who ask for the same thing while it runs. */
export interface SingleFlight<T> {
  /**
   * Joins the work under way for a key, or starts it.
   * @param key - what is asked for
   * @param work - how to do it
   * @returns the result, the same for all
   * @throws ApiError `timeout` when it takes more than 10 s: no key is blocked by work that hangs
   */
  run(key: string, work: () => Promise<T>): Promise<T>
}

/**
 * Makes a single flight. An entry lives only while its work does: this is no cache.
 * @returns the single flight
 */
export function createSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Promise<T>>()
  return {
    run(key, work) {
      const underWay = flights.get(key)
      if (underWay) return underWay
      const flight = answeredInTime(work()).finally(() => flights.delete(key))
      flights.set(key, flight)
      return flight
    },
  }
}
