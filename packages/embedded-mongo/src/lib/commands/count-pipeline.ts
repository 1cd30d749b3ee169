import { type Doc, isDocument } from '../bson/document.ts'
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
 * Recognizes a pipeline that only counts, so that nothing need be grouped.
 *
 * @param stages The pipeline.
 * @returns What to count, `undefined` for any other pipeline.
 */
export function parseCountPipeline(stages: readonly Doc[]): CountPipeline | undefined {
  const rest = [...stages]
  const filter = take(rest, '$match')
  const skip = take(rest, '$skip')
  const limit = take(rest, '$limit')
  const [group] = rest
  if (rest.length !== 1 || !isEqual(group?.['$group'], GROUP)) return undefined
  if (filter !== undefined && !isDocument(filter)) return undefined
  return {
    request: { filter: filter ?? {}, skip: Number(skip ?? 0), limit: Number(limit ?? 0) },
    toResult: (n) => ({ _id: 1, n }),
  }
}

function take(stages: Doc[], name: string): unknown {
  const [first] = stages
  if (!first || !(name in first)) return undefined
  stages.shift()
  return first[name]
}
