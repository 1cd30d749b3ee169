import { type Doc, isDocument } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { createCommandScope } from '../expressions/compile-expression.ts'
import { type Scope } from '../expressions/scope.ts'
import { usesOperator } from '../query/uses-operator.ts'
import { facet, unionWith } from './combining-stages.ts'
import { documentStages, unwind } from './document-stages.ts'
import { geoNear, rejectNear, toNearFilter } from './geo-near.ts'
import { graphLookup } from './graph-lookup.ts'
import { bucket, bucketAuto, group, sortByCount } from './group.ts'
import { lookup } from './lookup.ts'
import {
  type InnerPipeline,
  type LeadingQuery,
  type PipelineContext,
  type Run,
  type StageCompiler,
} from './stage.ts'
import { merge, out } from './writing-stages.ts'

const stageCompilers: ReadonlyMap<string, StageCompiler> = new Map<string, StageCompiler>([
  ...Object.entries(documentStages),
  ['$group', group],
  ['$sortByCount', sortByCount],
  ['$bucket', bucket],
  ['$bucketAuto', bucketAuto],
  ['$unwind', unwind],
  ['$lookup', lookup],
  ['$graphLookup', graphLookup],
  ['$geoNear', geoNear],
  ['$facet', facet],
  ['$unionWith', unionWith],
  ['$out', out],
  ['$merge', merge],
])

interface Pipeline {
  // The first stages, as far as a planner can serve them; `run` does not repeat them.
  leading: LeadingQuery
  rest: readonly Doc[]
  // The last stage writes its input ($out, $merge), so the pipeline returns no documents.
  writes: boolean
  // Runs the stages after the leading ones, lazily.
  run(input: Iterable<Doc>): Iterable<Doc>
}

export function compilePipeline(stages: readonly Doc[], context: PipelineContext): Pipeline {
  const scope = createCommandScope(context)
  const writes = stages.some((stage) => '$out' in stage || '$merge' in stage)
  const { leading, count, run } = compileStages(stages, scope, context)
  return { leading, rest: stages.slice(count), run, writes }
}

function compileStages(
  stages: readonly Doc[],
  scope: Scope,
  surroundings: PipelineContext,
): InnerPipeline & { count: number } {
  const parsed = stages.map((stage, i) => parseStage(stage, i === stages.length - 1, i))
  const { leading, count } = takeLeading(parsed)
  const compile = (inner: unknown, innerScope: Scope): InnerPipeline =>
    compileStages(requireReading(requireStages(inner)), innerScope, surroundings)
  // The leading part is compiled too, to report its errors.
  const runs = fuse(parsed).map((stage, i) => {
    if (i === 0 && isTextMatch(stage)) return unchanged
    const { name, operand, compiler } = stage
    return compiler(operand, { name, scope, surroundings, compile })
  })
  return { leading, count, run: chain(runs.slice(count)), runAll: chain(runs) }
}

// The query that serves the first stage has filtered by $text.
const unchanged: Run = (input) => input

function isTextMatch({ name, operand }: ParsedStage): boolean {
  return name === '$match' && usesOperator(operand, ['$text'])
}

function requireMatch(filter: unknown, index: number): void {
  if (index > 0 && usesOperator(filter, ['$text'])) {
    throw new CommandError(
      'Location17313',
      '$match with $text is only allowed as the first pipeline stage',
    )
  }
  rejectNear(filter)
}

function chain(runs: readonly Run[]): Run {
  return (input) => runs.reduce((docs, run) => run(docs), input)
}

interface ParsedStage {
  name: string
  operand: unknown
  compiler: NonNullable<ReturnType<typeof stageCompilers.get>>
}

const unsupported = new Set([
  '$search',
  '$searchMeta',
  '$vectorSearch',
  '$listSearchIndexes',
  '$currentOp',
  '$listSessions',
  '$listLocalSessions',
  '$planCacheStats',
  '$shardedDataDistribution',
  '$changeStreamSplitLargeEvent',
  '$setWindowFields',
  '$densify',
  '$fill',
  '$collStats',
  '$indexStats',
  '$changeStream',
])

const firstOnly = new Set([
  '$changeStream',
  '$collStats',
  '$currentOp',
  '$documents',
  '$geoNear',
  '$indexStats',
])

function parseStage(stage: Doc, isLast: boolean, index: number): ParsedStage {
  const [name = '', second] = Object.keys(stage)
  if (name === '' || second !== undefined) {
    throw new CommandError(
      'Location40323',
      'A pipeline stage specification object must contain exactly one field.',
    )
  }
  requirePlace(name, isLast, index)
  const compiler = stageCompilers.get(name)
  if (compiler === undefined && unsupported.has(name)) throw notImplemented(name)
  if (compiler === undefined) {
    throw new CommandError('Location40324', `Unrecognized pipeline stage name: '${name}'`)
  }
  if (name === '$match') requireMatch(stage[name], index)
  return { name, operand: stage[name], compiler }
}

function requirePlace(name: string, isLast: boolean, index: number): void {
  if ((name === '$out' || name === '$merge') && !isLast) {
    throw new CommandError('Location40601', `${name} can only be the final stage in the pipeline`)
  }
  if (firstOnly.has(name) && index > 0) {
    throw new CommandError(
      'Location40602',
      `${name} is only valid as the first stage in a pipeline`,
    )
  }
}

function requireStages(stages: unknown): Doc[] {
  if (!Array.isArray(stages))
    throw new CommandError('TypeMismatch', "'pipeline' option must be specified as an array")
  return stages.map((stage: unknown) => {
    if (isDocument(stage)) return stage
    throw new CommandError('TypeMismatch', "Each element of the 'pipeline' array must be an object")
  })
}

function requireReading(stages: Doc[]): Doc[] {
  const name = ['$out', '$merge'].find((writing) =>
    stages.some((stage) => Object.hasOwn(stage, writing)),
  )
  if (name === undefined) return stages
  throw new CommandError(
    'Location51047',
    `${name} is not allowed within a pipeline of another stage`,
  )
}

function takeLeading(stages: readonly ParsedStage[]): { leading: LeadingQuery; count: number } {
  const [first] = stages
  // The stage itself adds the distances that this query finds.
  if (first?.name === '$geoNear')
    return { leading: { filter: toNearFilter(first.operand) }, count: 0 }
  let leading: LeadingQuery = {}
  let count = 0
  for (const stage of stages) {
    const longer = extend(leading, stage)
    if (longer === undefined) break
    leading = longer
    count++
  }
  return { leading, count }
}

// Filters are combined; after them each part may occur once, in this order.
const parts = ['filter', 'sort', 'skip', 'limit'] as const

function extend(query: LeadingQuery, { name, operand }: ParsedStage): LeadingQuery | undefined {
  const part = parts.find(
    (candidate) => name === (candidate === 'filter' ? '$match' : `$${candidate}`),
  )
  if (part === undefined) return undefined
  const isLater = parts.slice(parts.indexOf(part) + (part === 'filter' ? 1 : 0))
  if (isLater.some((later) => query[later] !== undefined)) return undefined
  if (part === 'skip' || part === 'limit') {
    return isNumeric(operand) ? { ...query, [part]: toNumber(operand) } : undefined
  }
  if (!isDocument(operand)) return undefined
  if (part === 'sort' || query.filter === undefined) return { ...query, [part]: operand }
  return { ...query, filter: { $and: [query.filter, operand] } }
}

// A sort followed by a limit needs to hold only that many documents.
function fuse(stages: readonly ParsedStage[]): ParsedStage[] {
  return stages.map((stage, i) => {
    if (stage.name !== '$sort') return stage
    let held = 0
    for (const { name, operand } of stages.slice(i + 1)) {
      if (!isNumeric(operand) || (name !== '$skip' && name !== '$limit')) break
      held += toNumber(operand)
      if (name === '$limit')
        return {
          ...stage,
          compiler: (spec, context) => stage.compiler(spec, { ...context, limit: held }),
        }
    }
    return stage
  })
}
