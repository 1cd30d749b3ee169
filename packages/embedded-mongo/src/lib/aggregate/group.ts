import { type Doc, isDocument, lookUp, setField } from '../bson/document.ts'
import { typeName } from '../bson/type-name.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { compileExpression } from '../expressions/compile-expression.ts'
import { isNullish, requireNames } from '../expressions/operator.ts'
import { pickN, requireN } from '../expressions/first-n.ts'
import { type Expression, type Scope } from '../expressions/scope.ts'
import { type Accumulator, simpleAccumulators } from '../expressions/simple-accumulators.ts'
import { compare } from '../keys/compare.ts'
import { encodeKey } from '../keys/encode-key.ts'
import { createSortOrder, sortBy } from '../keys/sort.ts'
import { type Run, type StageContext } from './stage.ts'

export function group(operand: unknown, context: StageContext): Run {
  if (!isDocument(operand))
    throw new CommandError('Location15947', "a group's fields must be specified in an object")
  if (!('_id' in operand))
    throw new CommandError('Location15955', 'a group specification must include an _id')
  const { _id: id, ...fields } = operand
  return groupBy(
    compileExpression(id, context.scope),
    compileFields(fields, context.scope),
    context.scope,
  )
}

export function sortByCount(operand: unknown, context: StageContext): Run {
  const isExpression =
    (typeof operand === 'string' && operand.startsWith('$')) ||
    (isDocument(operand) && Object.keys(operand)[0]?.startsWith('$'))
  if (!isExpression) {
    throw new CommandError(
      'Location40149',
      'the sortByCount field must be defined as a $-prefixed path or an expression inside an object',
    )
  }
  const counted = context.compile(
    [{ $group: { _id: operand, count: { $sum: 1 } } }, { $sort: { count: -1 } }],
    context.scope,
  )
  return counted.run
}

type Field = [string, CompiledAccumulator]

function compileFields(fields: Doc, scope: Scope): Field[] {
  return Object.keys(fields).map((name) => {
    if (name.includes('.'))
      throw new CommandError('Location40235', `The field name '${name}' cannot contain '.'`)
    if (name.startsWith('$'))
      throw new CommandError('Location40236', `The field name '${name}' cannot be an operator name`)
    return [name, compileAccumulator(name, fields[name], scope)]
  })
}

interface Group {
  id: unknown
  accumulators: Accumulator[]
}

function groupBy(id: Expression, fields: readonly Field[], scope: Scope): Run {
  return function* groupAll(input) {
    const groups = new Map<unknown, Group>()
    for (const doc of input) {
      const value = id(doc) ?? null
      const key = groupKey(value, scope)
      let found = groups.get(key)
      if (found === undefined) {
        found = { id: value, accumulators: fields.map(([, field]) => field.create()) }
        groups.set(key, found)
      }
      for (let i = 0; i < fields.length; i++) {
        found.accumulators[i]?.add(fields[i]?.[1].expression(doc))
      }
    }
    for (const { id: groupId, accumulators } of groups.values()) {
      const result: Doc = { _id: groupId }
      for (const [i, [name]] of fields.entries()) setField(result, name, accumulators[i]?.result())
      yield result
    }
  }
}

// An int is its own key: no other key in the map is a number.
function groupKey(value: unknown, scope: Scope): unknown {
  return typeof value === 'number' && Number.isInteger(value) && value !== 0
    ? encodeSmall(value)
    : encodeKey(value, false, scope.collation)
}

const smallKeys = new Map<number, string>()

function encodeSmall(value: number): string {
  let key = smallKeys.get(value)
  if (key === undefined) {
    key = encodeKey(value)
    if (smallKeys.size < 10_000) smallKeys.set(value, key)
  }
  return key
}

export function bucket(operand: unknown, context: StageContext): Run {
  const { scope } = context
  const spec = requireBucket(operand)
  const boundaries = requireBoundaries(spec['boundaries'], scope)
  const read = compileExpression(spec['groupBy'], scope)
  const fallback = 'default' in spec ? compileExpression(spec['default'], scope)({}) : undefined
  const output = spec['output'] ?? { count: { $sum: 1 } }
  if (!isDocument(output))
    throw new CommandError('Location40196', "The $bucket 'output' field must be an object")
  const id: Expression = (root) => {
    const value = read(root)
    const place = boundaries.findLastIndex((bound) => compare(value, bound, scope.collation) >= 0)
    if (place >= 0 && place < boundaries.length - 1) return boundaries[place]
    if ('default' in spec) return fallback
    throw new CommandError(
      'Location40066',
      '$switch could not find a matching branch for an input, and no default was specified.',
    )
  }
  const grouped = groupBy(id, compileFields(output, scope), scope)
  return (input) => [...grouped(input)].toSorted((a, b) => compare(a['_id'], b['_id']))
}

function requireBucket(operand: unknown): Doc {
  if (!isDocument(operand)) {
    throw new CommandError(
      'Location40201',
      `Argument to $bucket stage must be an object, but found type: ${typeName(operand)}.`,
    )
  }
  const unknown = Object.keys(operand).find(
    (name) => !['groupBy', 'boundaries', 'default', 'output'].includes(name),
  )
  if (unknown !== undefined)
    throw new CommandError('Location40197', `Unrecognized option to $bucket: ${unknown}.`)
  if (!('groupBy' in operand) || !('boundaries' in operand)) {
    throw new CommandError(
      'Location40198',
      "$bucket requires 'groupBy' and 'boundaries' to be specified.",
    )
  }
  return operand
}

function requireBoundaries(value: unknown, scope: Scope): unknown[] {
  if (!Array.isArray(value)) {
    throw new CommandError(
      'Location40200',
      `The $bucket 'boundaries' field must be an array, but found type: ${typeName(value)}.`,
    )
  }
  if (value.length < 2) {
    throw new CommandError(
      'Location40192',
      `The $bucket 'boundaries' field must have at least 2 values, but found ${value.length} value(s).`,
    )
  }
  const boundaries = value.map((bound) => compileExpression(bound, scope)({}))
  for (let i = 1; i < boundaries.length; i++) {
    if (compare(boundaries[i - 1], boundaries[i]) >= 0) {
      throw new CommandError(
        'Location40194',
        "The 'boundaries' option to $bucket must be sorted, but elements are not.",
      )
    }
  }
  return boundaries
}

export function bucketAuto(operand: unknown, context: StageContext): Run {
  const { scope } = context
  if (!isDocument(operand) || !('groupBy' in operand)) {
    throw new CommandError(
      'Location40246',
      "$bucketAuto requires 'groupBy' and 'buckets' to be specified.",
    )
  }
  const buckets = Number(operand['buckets'])
  if (!Number.isInteger(buckets) || buckets <= 0) {
    throw new CommandError(
      'Location40243',
      "The $bucketAuto 'buckets' field must be greater than 0.",
    )
  }
  if (!isNullish(operand['granularity'])) throw notImplemented('$bucketAuto with granularity')
  const output = isDocument(operand['output']) ? operand['output'] : { count: { $sum: 1 } }
  const fields = compileFields(output, scope)
  const read = compileExpression(operand['groupBy'], scope)
  return (input) => {
    const sorted = [...input]
      .map((doc) => ({ value: read(doc) ?? null, doc }))
      .toSorted((a, b) => compare(a.value, b.value, scope.collation))
    return cutIntoBuckets(sorted, buckets).map((part, i, parts) => {
      const next = parts[i + 1]
      const id = { min: part[0]?.value, max: next ? next[0]?.value : part.at(-1)?.value }
      const run = groupBy(() => id, fields, scope)
      return [...run(part.map(({ doc }) => doc))][0] ?? {}
    })
  }
}

interface Valued {
  value: unknown
  doc: Doc
}

// Equal values stay in one bucket.
function cutIntoBuckets(sorted: readonly Valued[], buckets: number): Valued[][] {
  const size = Math.max(1, Math.round(sorted.length / buckets))
  const parts: Valued[][] = []
  let at = 0
  while (at < sorted.length) {
    let end = parts.length === buckets - 1 ? sorted.length : Math.min(at + size, sorted.length)
    while (end < sorted.length && compare(sorted[end - 1]?.value, sorted[end]?.value) === 0) end++
    parts.push(sorted.slice(at, end))
    at = end
  }
  return parts
}

interface CompiledAccumulator {
  expression: Expression
  create(): Accumulator
}

function compileAccumulator(field: string, spec: unknown, scope: Scope): CompiledAccumulator {
  if (!isDocument(spec)) {
    throw new CommandError('Location40234', `The field '${field}' must be an accumulator object`)
  }
  const [name = '', second] = Object.keys(spec)
  if (second !== undefined) {
    throw new CommandError('Location40238', `The field '${field}' must specify one accumulator`)
  }
  if (unsupported.has(name)) throw notImplemented(name)
  const ordered = lookUp(orderedAccumulators, name)
  if (ordered !== undefined) return ordered(spec[name], { name, scope })
  const create = lookUp(simpleAccumulators, name)
  if (create === undefined)
    throw new CommandError('Location15952', `unknown group operator '${name}'`)
  const operand = name === '$count' ? 1 : spec[name]
  return { expression: compileExpression(operand, scope), create: () => create(scope) }
}

interface OrderedContext {
  name: string
  scope: Scope
}

const unsupported = new Set(['$accumulator', '$function', '$median', '$percentile'])

type OrderedCompiler = (operand: unknown, context: OrderedContext) => CompiledAccumulator

const orderedAccumulators: Readonly<Record<string, OrderedCompiler>> = {
  $firstN: gatherN,
  $lastN: gatherN,
  $minN: gatherN,
  $maxN: gatherN,
  $top: topOrBottom,
  $bottom: topOrBottom,
  $topN: topOrBottom,
  $bottomN: topOrBottom,
}

function gatherN(operand: unknown, { name, scope }: OrderedContext): CompiledAccumulator {
  const { input, n } = requireNames(operand, ['input', 'n'], name)
  const count = requireN(name, compileExpression(n, scope)({}))
  return {
    expression: compileExpression(input, scope),
    create: () => {
      const values: unknown[] = []
      return {
        add: (value) => values.push(value ?? null),
        result: () => pickN(name, values, { count, collation: scope.collation }),
      }
    },
  }
}

function topOrBottom(operand: unknown, { name, scope }: OrderedContext): CompiledAccumulator {
  const isMany = name.endsWith('N')
  const names = isMany ? ['sortBy', 'output', 'n'] : ['sortBy', 'output']
  const { sortBy: pattern, output, n } = requireNames(operand, names, name)
  if (!isDocument(pattern))
    throw new CommandError('Location10065', `${name} expects 'sortBy' to be an object`)
  const order = createSortOrder(pattern, scope.collation)
  const read = compileExpression(output, scope)
  const count = isMany ? requireN(name, compileExpression(n, scope)({})) : 1
  return {
    expression: (root) => root,
    create: () => {
      const docs: Doc[] = []
      return {
        add: (doc) => {
          if (isDocument(doc)) docs.push(doc)
        },
        result: () => {
          const sorted = sortBy(docs, order, { doc: (doc) => doc })
          const part = name.startsWith('$top') ? sorted.slice(0, count) : sorted.slice(-count)
          const values = part.map((doc) => read(doc) ?? null)
          return isMany ? values : (values[0] ?? null)
        },
      }
    },
  }
}
