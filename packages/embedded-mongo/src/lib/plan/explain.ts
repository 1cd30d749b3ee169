import { type Doc } from '../bson/document.ts'
import { type Index } from '../catalog/collection.ts'
import { type AccessPath, type IndexPath } from './access-path.ts'
import { type Query } from './query.ts'
import { type RunningQuery } from './run-query.ts'

/**
 * Tells how a query is answered, in the form of MongoDB's `explain`.
 *
 * @param namespace The collection's name.
 * @param query What is wanted.
 * @param running The chosen way; its rows are read here, for the counts. None without a collection.
 * @returns `queryPlanner` and `executionStats`.
 */
export function explainQuery(
  namespace: string,
  query: Query,
  running: RunningQuery | undefined,
): { queryPlanner: Doc; executionStats: Doc } {
  const before = performance.now()
  const nReturned = [...(running?.rows ?? [])].length
  const { keysExamined, docsExamined } = running?.stats ?? { keysExamined: 0, docsExamined: 0 }
  return {
    queryPlanner: {
      namespace,
      parsedQuery: query.filter,
      indexFilterSet: false,
      winningPlan: running ? describePlan(query, running.path) : { stage: 'EOF' },
      rejectedPlans: (running?.rejected ?? []).map((path) => describePlan(query, path)),
    },
    executionStats: {
      executionSuccess: true,
      nReturned,
      executionTimeMillis: Math.round(performance.now() - before),
      totalKeysExamined: keysExamined,
      totalDocsExamined: docsExamined,
    },
  }
}

function describePlan(query: Query, path: AccessPath): Doc {
  const access = describeAccess(query, path)
  const isSorted = path.kind === 'index' && path.isSorted
  const sorted =
    query.order && !isSorted
      ? { stage: 'SORT', sortPattern: query.sort, inputStage: access }
      : access
  const skipped =
    query.skip > 0 ? { stage: 'SKIP', skipAmount: query.skip, inputStage: sorted } : sorted
  return query.limit > 0
    ? { stage: 'LIMIT', limitAmount: query.limit, inputStage: skipped }
    : skipped
}

function describeAccess({ filter }: Query, path: AccessPath): Doc {
  if (path.kind === 'scan') {
    return { stage: 'COLLSCAN', filter, direction: path.reverse ? 'backward' : 'forward' }
  }
  const inputStage =
    path.kind === 'union'
      ? { stage: 'OR', inputStages: path.branches.map((branch) => describeIndexScan(branch)) }
      : describeIndexScan(path)
  return { stage: 'FETCH', filter, inputStage }
}

function describeIndexScan({ index, ranges, reverse }: IndexPath): Doc {
  return {
    stage: 'IXSCAN',
    keyPattern: index.pattern,
    indexName: index.name,
    isMultiKey: index.multikey.includes(true),
    multiKeyPaths: multikeyPaths(index),
    isUnique: index.unique,
    isSparse: index.sparse,
    isPartial: index.options['partialFilterExpression'] !== undefined,
    indexVersion: 2,
    direction: reverse ? 'backward' : 'forward',
    ranges: ranges.length,
  }
}

function multikeyPaths({ fields, multikey }: Index): Doc {
  return Object.fromEntries(
    fields.map(({ path }, position) => [path, multikey[position] === true ? [path] : []]),
  )
}
