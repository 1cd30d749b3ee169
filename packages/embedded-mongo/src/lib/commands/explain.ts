import { hostname } from 'node:os'
import { compilePipeline } from '../aggregate/compile-pipeline.ts'
import { type PipelineContext } from '../aggregate/stage.ts'
import { type Doc, isDocument, lookUp } from '../bson/document.ts'
import { findCollection } from '../catalog/catalog.ts'
import { type Index } from '../catalog/collection.ts'
import { CommandError } from '../errors/command-error.ts'
import { type AccessPath, type IndexPath, type UnionPath } from '../plan/access-path.ts'
import { type Query } from '../plan/query.ts'
import { type RunningQuery, startQuery } from '../plan/run-query.ts'
import { type Command, type CommandContext, toNamespace } from './context.ts'
import { toFindRequest } from './find.ts'
import { version } from './handshake.ts'
import { createPipelineContext } from './pipeline-context.ts'
import { type QueryRequest, toQuery } from './query-rows.ts'
import { toDocument, toDocuments } from './requirements.ts'

const verbosities = ['queryPlanner', 'executionStats', 'allPlansExecution']

export const explain: Command = {
  options: ['verbosity'],
  run(context) {
    const { verbosity = 'allPlansExecution' } = context.body
    if (typeof verbosity !== 'string' || !verbosities.includes(verbosity)) {
      throw new CommandError(
        'BadValue',
        `verbosity string must be one of ${verbosities.join(', ')}`,
      )
    }
    return explainCommand(context, toDocument(context.body['explain'], 'explain'), verbosity)
  },
}

export function explainCommand(context: CommandContext, command: Doc, verbosity: string): Doc {
  const [name = ''] = Object.keys(command)
  const toRequest = lookUp(requests, name)
  if (!toRequest)
    throw new CommandError('CommandNotFound', `Explain failed due to unknown command: ${name}`)
  const namespace = toNamespace(context.database, command[name])
  const collection = findCollection(context.view, namespace)
  const inner = { ...context, body: command }
  const request = toRequest(command, createPipelineContext(inner, collection))
  const query = toQuery(inner, collection, request)
  const running = collection && startQuery(context.view, collection, query)
  const explained = explainQuery(namespace, query, running)
  const stage = toOuterStage(name, command)
  if (stage !== undefined) {
    const inputStage = explained.queryPlanner['winningPlan']
    explained.queryPlanner['winningPlan'] = { stage, inputStage }
  }
  return {
    explainVersion: '1',
    queryPlanner: explained.queryPlanner,
    ...(verbosity === 'queryPlanner' ? {} : { executionStats: explained.executionStats }),
    command,
    serverInfo: { host: hostname(), port: 0, version: version, gitVersion: 'embedded' },
  }
}

function toOuterStage(name: string, { remove }: Doc): string | undefined {
  if (name === 'findAndModify') return remove === true ? 'DELETE' : 'UPDATE'
  return lookUp(outerStages, name)
}

const outerStages: Readonly<Record<string, string>> = {
  count: 'COUNT',
  delete: 'DELETE',
  update: 'UPDATE',
}

const requests: Readonly<Record<string, (command: Doc, context: PipelineContext) => QueryRequest>> =
  {
    find: (command) => toFindRequest(command),
    count: ({ query, collation, hint, skip, limit }) =>
      toFindRequest({ filter: query, collation, hint, skip, limit }),
    distinct: ({ query, collation, hint }) => toFindRequest({ filter: query, collation, hint }),
    findAndModify: ({ query, sort, collation, hint }) =>
      toFindRequest({ filter: query, sort, collation, hint, limit: 1 }),
    update: ({ updates }) => firstPart(updates, ({ multi }) => (multi === true ? 0 : 1)),
    delete: ({ deletes }) => firstPart(deletes, ({ limit }) => Number(limit)),
    aggregate({ pipeline, collation, hint }, context) {
      const stages = toDocuments(pipeline, 'aggregate.pipeline')
      const { leading } = compilePipeline(stages, context)
      return toFindRequest({ ...leading, collation, hint })
    },
  }

function firstPart(parts: unknown, toLimit: (part: Doc) => number): QueryRequest {
  const [part] = Array.isArray(parts) ? parts : []
  if (!isDocument(part)) throw new CommandError('FailedToParse', 'Nothing to explain')
  const { q, collation, hint, sort } = part
  return toFindRequest({ filter: q, sort, collation, hint, limit: toLimit(part) })
}

function explainQuery(
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
  const isSorted = path.kind !== 'scan' && path.isSorted
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

function describeAccess({ filter, sort }: Query, path: AccessPath): Doc {
  if (path.kind === 'scan') {
    return { stage: 'COLLSCAN', filter, direction: path.reverse ? 'backward' : 'forward' }
  }
  if (path.kind === 'index' && path.index.text) {
    return { stage: 'TEXT_MATCH', indexName: path.index.name, inputStage: describeIndexScan(path) }
  }
  const inputStage = path.kind === 'union' ? describeUnion(sort, path) : describeIndexScan(path)
  return { stage: 'FETCH', filter, inputStage }
}

function describeUnion(sort: Doc | undefined, { branches, isSorted }: UnionPath): Doc {
  const inputStages = branches.map((branch) => describeIndexScan(branch))
  return isSorted
    ? { stage: 'SORT_MERGE', sortPattern: sort, inputStages }
    : { stage: 'OR', inputStages }
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
    isPartial: index.partialFilter !== undefined,
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
