import { ObjectId } from 'bson'
import { compilePipeline } from '../aggregate/compile-pipeline.ts'
import { type Doc, isDocument } from '../bson/document.ts'
import { showValue } from '../bson/show-value.ts'
import { isIdentical } from '../bson/is-identical.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Change, type UpdateOptions } from './change.ts'
import { compileModifiers } from './compile-modifiers.ts'
import { insertFromFilter } from './insert-from-filter.ts'

/** An update ready to run. */
export interface Update {
  /**
   * Updates a document without changing it in place.
   * @param doc - The document.
   * @param filterHit - What the filter's `hit` gave, for the positional `$`.
   * @returns The new document; the same reference when nothing changed.
   */
  apply(doc: Doc, filterHit?: number): Doc
  /**
   * Makes the document an upsert inserts; its `_id` comes first and is generated when not given.
   * @param filter - The filter of the update.
   * @returns The new document.
   */
  onInsert(filter: Doc): Doc
}

/**
 * Compiles an update: modifiers, a replacement document or a pipeline.
 * @param update - The update.
 * @param options - Array filters, variables, collation and time.
 * @returns The update, ready to run.
 * @throws {CommandError} 9, 28, 40, 52, 56 and others of MongoDB's.
 */
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
    throw new CommandError(9, 'arrayFilters may not be specified for pipeline-style updates')
  }
  const pipeline = compilePipeline(stages, { ...options, ...noCollections })
  const bad = stages.flatMap((stage) => Object.keys(stage)).find((name) => !updateStages.has(name))
  if (bad !== undefined) {
    throw new CommandError(72, `${bad} is not allowed to be used within an update`)
  }
  const change: Change = (doc) => {
    const [result = doc] = pipeline.run([doc])
    const changed = '_id' in result || !('_id' in doc) ? result : { _id: doc['_id'], ...result }
    return isIdentical(changed, doc) ? doc : changed
  }
  return toUpdate(change, false)
}

// The stages of an update neither read nor write collections.
const noCollections = {
  collection: () => [],
  write: (): never => {
    throw new CommandError(72, 'an update does not write to other collections')
  },
}

function fromReplacement(replacement: Doc, options: UpdateOptions): Update {
  const dollar = Object.keys(replacement).find((name) => name.startsWith('$'))
  if (dollar !== undefined) {
    throw new CommandError(
      52,
      `The dollar ($) prefixed field '${dollar}' in '${dollar}' is not allowed in the context of an ` +
        "update's replacement document. Consider using an aggregation pipeline with $replaceWith.",
    )
  }
  if (options.arrayFilters && options.arrayFilters.length > 0) {
    throw new CommandError(9, 'Cannot specify arrayFilters and a replacement document')
  }
  const { _id: id, ...fields } = replacement
  const change: Change = (doc) => {
    const kept = id ?? doc['_id']
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
    66,
    isReplacement
      ? `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${showValue(id)}`
      : "Performing an update on the path '_id' would modify the immutable field '_id'",
  )
}
