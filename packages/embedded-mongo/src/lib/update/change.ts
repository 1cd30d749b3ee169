import { type Doc } from '../bson/document.ts'
import { type Collation } from '../keys/collation.ts'

/** What an update depends on beside document and filter. */
export interface UpdateOptions {
  /**
   * Filters for the `$[identifier]` parts of paths.
   * @default none
   */
  arrayFilters?: readonly Doc[] | undefined
  /**
   * Values of `let` and of an update statement's `c`, for pipelines.
   * @default none
   */
  variables?: Doc | undefined
  /**
   * How text compares.
   * @default binary
   */
  collation?: Collation | undefined
  /**
   * The time of `$currentDate` and `$$NOW`.
   * @default the time of compilation
   */
  now?: Date | undefined
}

/** Changes a document; `isInsert` when it is one that an upsert starts from the filter. */
export type Change = (doc: Doc, at: { hit: number | undefined; isInsert: boolean }) => Doc
