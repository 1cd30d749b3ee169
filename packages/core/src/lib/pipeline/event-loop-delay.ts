const intervalMs = 100

let last = 0
let previous = 0
let timer: NodeJS.Timeout | undefined

/**
 * Says how late the event loop of this process is. Two looks in a row count, the better one of
 * them: one long task, or a process that stood still, is no queue. The first call begins to look.
 * @returns milliseconds, at most about 200 ms old
 */
export function eventLoopDelay(): number {
  if (timer === undefined) watch()
  return last < previous ? last : previous
}

function watch(): void {
  let due = performance.now() + intervalMs
  timer = setInterval(() => {
    const now = performance.now()
    previous = last
    last = Math.max(0, now - due)
    due = now + intervalMs
  }, intervalMs).unref()
}
