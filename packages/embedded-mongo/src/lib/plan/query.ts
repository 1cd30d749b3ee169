import { type Doc } from '../bson/document.ts'
import { type Collation } from '../keys/collation.ts'
import { type SortOrder } from '../keys/sort.ts'
import { type Filter } from '../query/compile-filter.ts'

export interface Query {
  filter: Doc
  // Always checked, whatever index is used.
  matches: Filter
  // The pattern of `order`, or `$natural`.
  sort: Doc | undefined
  // Undefined without a sort and for the natural order.
  order: SortOrder | undefined
  skip: number
  // 0 for all.
  limit: number
  // Name or key pattern of the index to use.
  hint?: unknown
  collation: Collation | undefined
  // Only the number of the rows is used.
  isCount?: boolean | undefined
  // Throws once `maxTimeMS` has passed.
  checkTime: () => void
}
