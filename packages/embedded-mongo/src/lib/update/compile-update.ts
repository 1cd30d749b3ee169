import { ObjectId } from 'bson'
import { compilePipeline } from '../aggregate/compile-pipeline.ts'
import { type Doc, isDocument, setField } from '../bson/document.ts'
import { showValue } from '../bson/show-value.ts'
import { CommandError } from '../errors/command-error.ts'
import { isIdentical } from '../keys/compare.ts'
import { isRegExp } from '../bson/regex.ts'
import { isOperatorDocument } from '../query/compile-field.ts'
import { type Change, compileModifiers, type UpdateOptions } from './compile-modifiers.ts'

export interface Update {
  // Leaves the document unchanged and returns a new one; `filterHit` is the filter's hit, for the
  // positional `$`.
  apply(doc: Doc, filterHit?: number): Doc
  // `_id` comes first and is generated when absent.
  onInsert(filter: Doc): Doc
}

export function compileUpdate(update: Doc | readonly Doc[], options: UpdateOptions = {}): Update {
  if (!isDocument(update)) return fromPipeline(update, options)
  const [first] = Object.keys(update)
  return first?.startsWith('$')
    ? toUpdate(compileModifiers(update, options), false)
    : fromReplacement(update, options)
}

const updateStages = new Set([
  '$addFields',
  '$set',
  '$project',
  '$unset',
  '$replaceRoot',
  '$replaceWith',
])

function fromPipeline(stages: readonly Doc[], options: UpdateOptions): Update {
  if (options.arrayFilters && options.arrayFilters.length > 0) {
    throw new CommandError(
      'FailedToParse',
      'arrayFilters may not be specified for pipeline-style updates',
    )
  }
  const pipeline = compilePipeline(stages, { ...options, ...noCollections })
  const bad = stages.flatMap((stage) => Object.keys(stage)).find((name) => !updateStages.has(name))
  if (bad !== undefined) {
    throw new CommandError('InvalidOptions', `${bad} is not allowed to be used within an update`)
  }
  const change: Change = (doc) => {
    const [result = doc] = pipeline.run([doc])
    const changed = '_id' in result || !('_id' in doc) ? result : { _id: doc['_id'], ...result }
    return isIdentical(changed, doc) ? doc : changed
  }
  return toUpdate(change, false)
}

// The stages of an update read and write no collections.
const noCollections = {
  collection: () => [],
  write: (): never => {
    throw new CommandError('InvalidOptions', 'an update does not write to other collections')
  },
}

function fromReplacement(replacement: Doc, options: UpdateOptions): Update {
  const dollar = Object.keys(replacement).find((name) => name.startsWith('$'))
  if (dollar !== undefined) {
    throw new CommandError(
      'DollarPrefixedFieldName',
      `The dollar ($) prefixed field '${dollar}' in '${dollar}' is not allowed in the context of an ` +
        "update's replacement document. Consider using an aggregation pipeline with $replaceWith.",
    )
  }
  if (options.arrayFilters && options.arrayFilters.length > 0) {
    throw new CommandError(
      'FailedToParse',
      'Cannot specify arrayFilters and a replacement document',
    )
  }
  const { _id: id, ...fields } = replacement
  const change: Change = (doc) => {
    const kept = id === undefined ? doc['_id'] : id
    const result: Doc = kept === undefined ? fields : { _id: kept, ...fields }
    return isIdentical(result, doc) ? doc : result
  }
  return toUpdate(change, true)
}

function toUpdate(change: Change, isReplacement: boolean): Update {
  return {
    apply: (doc, hit) => {
      const result = change(doc, { hit, isInsert: false })
      requireSameId(doc, result, isReplacement)
      return result
    },
    onInsert: (filter) => {
      const equalities = insertFromFilter(filter)
      const start = isReplacement ? onlyId(equalities) : equalities
      const result = change(start, { hit: undefined, isInsert: true })
      if (start['_id'] !== undefined) requireSameId(start, result, isReplacement)
      const { _id: id = new ObjectId(), ...fields } = result
      return { _id: id, ...fields }
    },
  }
}

function onlyId({ _id: id }: Doc): Doc {
  return id === undefined ? {} : { _id: id }
}

function requireSameId(before: Doc, after: Doc, isReplacement: boolean): void {
  const id = after['_id']
  if (id === before['_id'] || isIdentical(id, before['_id'])) return
  throw new CommandError(
    'ImmutableField',
    isReplacement
      ? `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${showValue(id)}`
      : "Performing an update on the path '_id' would modify the immutable field '_id'",
  )
}

// Starts the document of an upsert from the equalities of its filter.
function insertFromFilter(filter: Doc): Doc {
  const equalities = new Map<string, unknown>()
  collect(filter, equalities)
  const doc: Doc = {}
  for (const [path, value] of equalities) place(doc, path.split('.'), value)
  return doc
}

function collect(filter: Doc, equalities: Map<string, unknown>): void {
  for (const [name, operand] of Object.entries(filter)) {
    if (name === '$and' || (name === '$or' && Array.isArray(operand) && operand.length === 1)) {
      if (Array.isArray(operand)) {
        for (const inner of operand) if (isDocument(inner)) collect(inner, equalities)
      }
    } else if (!name.startsWith('$')) {
      for (const value of equalitiesOf(operand)) note(name, value, equalities)
    }
  }
}

function equalitiesOf(operand: unknown): unknown[] {
  if (isRegExp(operand)) return []
  if (!isOperatorDocument(operand)) return [operand]
  const values: unknown[] = []
  if (operand['$eq'] !== undefined) values.push(operand['$eq'])
  const { $in, $all } = operand
  if (Array.isArray($in) && $in.length === 1 && !isRegExp($in[0])) values.push($in[0])
  if (Array.isArray($all)) {
    values.push(...$all.filter((item) => !isOperatorDocument(item) && !isRegExp(item)))
  }
  return values
}

function note(path: string, value: unknown, equalities: Map<string, unknown>): void {
  for (const other of equalities.keys()) {
    if (other === path) {
      throw new CommandError(
        'NotSingleValueField',
        `cannot infer query fields to set, path '${path}' is matched twice`,
      )
    }
    if (path.startsWith(`${other}.`) || other.startsWith(`${path}.`)) {
      throw new CommandError(
        'NotSingleValueField',
        `cannot infer query fields to set, both paths '${path}' and '${other}' are matched`,
      )
    }
  }
  equalities.set(path, value)
}

function place(doc: Doc, parts: readonly string[], value: unknown): void {
  const [name = '', ...rest] = parts
  if (rest.length === 0) {
    setField(doc, name, value)
    return
  }
  const inner = doc[name]
  const target: Doc = isDocument(inner) ? inner : {}
  setField(doc, name, target)
  place(target, rest, value)
}
