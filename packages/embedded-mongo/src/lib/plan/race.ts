import { type Row } from '../catalog/row.ts'
import { type Step } from './walk-path.ts'

const WORKS_PER_TURN = 32
const ENOUGH_ROWS = 101

/** One that takes part in a race. */
export interface Contender<T> {
  path: T
  steps: Generator<Step, void>
}

/** Who won, and all its rows. */
export interface RaceResult<T> {
  winner: T
  rows: Iterable<Row>
}

/**
 * Lets walks run in turns; the first that is done, or has found a first batch, goes on alone.
 *
 * @param contenders At least one.
 * @returns The winner.
 * @throws {Error} There is no contender.
 */
export function race<T>(contenders: readonly Contender<T>[]): RaceResult<T> {
  const runners = contenders.map((contender) => ({
    ...contender,
    rows: [] as Row[],
    isDone: false,
  }))
  const [first] = runners
  if (!first) throw new Error('A race needs contenders')
  let winner = runners.length === 1 ? first : undefined
  while (!winner) {
    for (const runner of runners) runTurn(runner)
    winner = runners.find(({ rows, isDone }) => isDone || rows.length >= ENOUGH_ROWS)
  }
  for (const { steps } of runners) if (steps !== winner.steps) steps.return()
  return { winner: winner.path, rows: finish(winner) }
}

interface Runner {
  steps: Generator<Step, void>
  rows: Row[]
  isDone: boolean
}

function runTurn(runner: Runner): void {
  for (let works = 0; works < WORKS_PER_TURN && !runner.isDone; works += 1) {
    const { value, done } = runner.steps.next()
    if (done) runner.isDone = true
    else if (value) runner.rows.push(value)
  }
}

function* finish({ rows, steps }: Runner): Generator<Row, void> {
  yield* rows
  for (const row of steps) if (row) yield row
}
