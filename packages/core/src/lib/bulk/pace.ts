import { yieldToEventLoop } from '../http/yield-to-event-loop.ts'

const maxMs = 10

// Returns a function to be called between items: other requests are served when the last items took long without waiting.
export function createPace(): () => Promise<void> | void {
  let last = performance.now()
  const pause = async (): Promise<void> => {
    await yieldToEventLoop()
    last = performance.now()
  }
  return () => (performance.now() - last > maxMs ? pause() : undefined)
}
