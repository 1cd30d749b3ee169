import { type Doc, isDocument } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { isEqual } from '../keys/compare.ts'
import { type QueryRequest } from './query-rows.ts'

/** A pipeline that only counts: what drivers send for `countDocuments`. */
export interface CountPipeline {
  request: QueryRequest
  /** The one document it answers, unless nothing matches. */
  toResult(n: number): Doc
}

const GROUP = { _id: 1, n: { $sum: 1 } }

/**
 * Recognizes a pipeline that only counts, so that nothing need be grouped. What is wrong in any way
 * is not recognized, and so meets the checks of every pipeline.
 *
 * @param stages The pipeline.
 * @returns What to count, `undefined` for any other pipeline.
 */
export function parseCountPipeline(stages: readonly Doc[]): CountPipeline | undefined {
  const rest = [...stages]
  const filter = take(rest, '$match') ?? {}
  const skip = take(rest, '$skip')
  const limit = take(rest, '$limit')
  const group = take(rest, '$group')
  if (rest.length > 0 || !isEqual(group, GROUP) || !isDocument(filter)) return undefined
  if (!isCount(skip, 0) || !isCount(limit, 1)) return undefined
  return {
    request: { filter, skip: toOptional(skip), limit: toOptional(limit) },
    toResult: (n) => ({ _id: 1, n }),
  }
}

function take(stages: Doc[], name: string): unknown {
  const [first] = stages
  if (!first || !(name in first) || Object.keys(first).length > 1) return undefined
  stages.shift()
  return first[name]
}

function isCount(value: unknown, least: number): boolean {
  if (value === undefined) return true
  return isNumeric(value) && Number.isSafeInteger(toNumber(value)) && toNumber(value) >= least
}

function toOptional(value: unknown): number | undefined {
  return isNumeric(value) ? toNumber(value) : undefined
}
