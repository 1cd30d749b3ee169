// libuv accepts one connection in each round of the event loop. If every round had a large piece of work,
// a health check would wait for everyone who has just connected.
const roundsPerMs = 3

const waiting: (() => void)[] = []
let startedAt = 0

// Resolves in a turn of the event loop without other large work. Without this, many large pieces of work
// would run one after the other with no health check or timer between them. The longer a turn took, the
// more rounds of the loop pass before the next.
export function takeTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(startTurn)
  })
}

function startTurn(): void {
  startedAt = performance.now()
  const [first] = waiting
  first?.()
  waiting.shift()
  if (waiting.length > 0) setImmediate(pause)
}

function pause(): void {
  skipRounds(Math.ceil((performance.now() - startedAt) * roundsPerMs))
}

function skipRounds(rounds: number): void {
  if (rounds > 1) setImmediate(skipRounds, rounds - 1)
  else startTurn()
}
