const waiting: (() => void)[] = []

/**
 * Waits for a turn of the event loop that no other large piece of work has. Many at once would
 * else be done one behind the other, and nothing between them: no health check, no timer.
 * @returns when the turn has come
 */
export function takeTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(giveTurn)
  })
}

function giveTurn(): void {
  const [first] = waiting
  first?.()
  waiting.shift()
  if (waiting.length > 0) setImmediate(giveTurn)
}
