import { type Response } from 'express'

// Resolves when the client can take more, or when the signal is aborted.
export function untilDrained(res: Response, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    res.once('drain', done)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
}
