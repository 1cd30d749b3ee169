// libuv accepts one connection in each round of the event loop. With a large piece of work in every
// round, a health check would stand behind everybody who has just connected.
const roundsPerMs = 3

const waiting: (() => void)[] = []
let begun = 0

/**
 * Waits for a turn of the event loop that no other large piece of work has. Many at once would
 * else be done one behind the other, and nothing between them: no health check, no timer. The
 * longer a turn took, the more rounds of the loop go by before the next.
 * @returns when the turn has come
 */
export function takeTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(giveTurn)
  })
}

function giveTurn(): void {
  begun = performance.now()
  const [first] = waiting
  first?.()
  waiting.shift()
  if (waiting.length > 0) setImmediate(rest)
}

function rest(): void {
  letOthersPass(Math.ceil((performance.now() - begun) * roundsPerMs))
}

function letOthersPass(rounds: number): void {
  if (rounds > 1) setImmediate(letOthersPass, rounds - 1)
  else giveTurn()
}
