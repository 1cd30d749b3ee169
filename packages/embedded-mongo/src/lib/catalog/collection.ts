import { type Doc } from '../bson/document.ts'
import { type Collation } from '../keys/collation.ts'

/** One index of a collection, ready for use. */
export interface Index {
  /** Bytes its entries' keys begin with, after the index marker. */
  id: string
  name: string
  /** The key pattern as it was given. */
  pattern: Doc
  /** Its fields in order. */
  fields: IndexField[]
  /** Everything `listIndexes` tells, without `v`, `key` and `name`. */
  options: Doc
  unique: boolean
  sparse: boolean
  hidden: boolean
  collation: Collation | undefined
  /** Per field: some document held an array on its path. */
  multikey: boolean[]
}

/** A field of a key pattern. */
export interface IndexField {
  path: string
  descending: boolean
}

/** A collection as the catalog knows it. */
export interface Collection {
  namespace: string
  database: string
  name: string
  id: string
  uuid: Buffer
  options: Doc
  indexes: Index[]
}
