import { type Collection, type Row } from '../catalog/collection.ts'
import { type Reader } from '../storage/store.ts'
import { type AccessPath } from './access-path.ts'
import { choosePaths } from './choose-paths.ts'
import { type Query } from './query.ts'
import { type Step, walkPath, type WalkStats } from './walk-path.ts'

export interface RunningQuery {
  path: AccessPath
  // The paths that lost the race.
  rejected: AccessPath[]
  rows: Iterable<Row>
  // Updated while rows are read.
  stats: WalkStats
}

export function startQuery(reader: Reader, collection: Collection, query: Query): RunningQuery {
  const contenders = choosePaths(collection, query).map((path) => {
    const stats: WalkStats = { keysExamined: 0, docsExamined: 0 }
    return { path: { path, stats }, steps: walkPath({ reader, collection, query, stats }, path) }
  })
  const { winner, rows } = race(contenders)
  const rejected = contenders.map(({ path }) => path.path).filter((path) => path !== winner.path)
  return { path: winner.path, rejected, rows, stats: winner.stats }
}

const stepsPerTurn = 32
const firstBatchRows = 101

interface Contender<T> {
  path: T
  steps: Generator<Step, void>
}

interface RaceResult<T> {
  winner: T
  rows: Iterable<Row>
}

// Walks take turns; the first to finish, or to find a first batch, continues alone.
function race<T>(contenders: readonly Contender<T>[]): RaceResult<T> {
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
    winner = runners.find(({ rows, isDone }) => isDone || rows.length >= firstBatchRows)
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
  for (let works = 0; works < stepsPerTurn && !runner.isDone; works += 1) {
    const { value, done } = runner.steps.next()
    if (done) runner.isDone = true
    else if (value) runner.rows.push(value)
  }
}

function* finish({ rows, steps }: Runner): Generator<Row, void> {
  yield* rows
  for (const row of steps) if (row) yield row
}
