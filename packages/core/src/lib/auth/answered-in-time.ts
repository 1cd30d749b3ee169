import { ApiError } from '../errors/api-error.ts'

// Longer than any wait that the driver bounds (decision 040).
const patience = 10_000

/**
 * Waits for the database where one answer serves many requests, but not for ever: a command that
 * meets a connection while it closes is never settled by the driver, and whoever asks for the same
 * would wait with it.
 * @param work - what to wait for
 * @param ms - how long, in milliseconds; 10 s if not given
 * @returns what it gives
 * @throws ApiError `timeout` when it takes longer
 */
export async function answeredInTime<T>(work: Promise<T>, ms = patience): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const cause = new Error(`The database has not answered within ${ms} ms.`)
      reject(new ApiError('timeout', { cause }))
    }, ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
