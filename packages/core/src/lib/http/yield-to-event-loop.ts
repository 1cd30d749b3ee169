// libuv accepts one connection in each iteration of the event loop. If each had a large piece of work,
// a health check would wait for everyone who has just connected.
const iterationsPerMs = 3

const waiting: (() => void)[] = []
let startedAt = 0

// Resolves in an iteration of the event loop that runs no other large piece of work. Without this, many large pieces of work
// would run one after the other with no health check or timer between them. The longer a piece
// took, the more iterations pass before the next.
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(runNext)
  })
}

function runNext(): void {
  startedAt = performance.now()
  const [first] = waiting
  first?.()
  waiting.shift()
  if (waiting.length > 0) setImmediate(pause)
}

function pause(): void {
  skipIterations(Math.ceil((performance.now() - startedAt) * iterationsPerMs))
}

function skipIterations(count: number): void {
  if (count > 1) setImmediate(skipIterations, count - 1)
  else runNext()
}
