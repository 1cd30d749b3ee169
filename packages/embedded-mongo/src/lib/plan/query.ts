import { type Doc } from '../bson/document.ts'
import { type Collation } from '../keys/collation.ts'
import { type SortOrder } from '../keys/sort.ts'
import { type Filter } from '../query/compile-filter.ts'

/** What is wanted of a collection. */
export interface Query {
  filter: Doc
  /** The compiled filter; it is always checked, whatever index was used. */
  matches: Filter
  /** The pattern of `order`, or `$natural`. */
  sort: Doc | undefined
  /** The order wanted; none without a sort and for the natural one. */
  order: SortOrder | undefined
  skip: number
  /** 0 for all. */
  limit: number
  /** Name or key pattern of the index to use. */
  hint?: unknown
  collation: Collation | undefined
  /** Throws once the query's time is over. */
  checkTime: () => void
}
