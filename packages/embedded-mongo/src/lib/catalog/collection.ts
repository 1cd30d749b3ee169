import { decode, decodeFields } from '../bson/codec.ts'
import { type Doc } from '../bson/document.ts'
import { type GeoField } from '../geo/geo-index.ts'
import { type Collation } from '../keys/collation.ts'
import { type TextIndex } from '../text/text-index.ts'

export interface Index {
  // The bytes its keys start with, after the index marker.
  id: string
  name: string
  pattern: Doc
  fields: IndexField[]
  // What listIndexes returns, without `v`, `key` and `name`.
  options: Doc
  unique: boolean
  // Accepts no new duplicates, and may have old ones.
  prepareUnique: boolean
  sparse: boolean
  hidden: boolean
  collation: Collation | undefined
  // Per field: some document has held an array on its path.
  multikey: boolean[]
  partialFilter: Doc | undefined
  // Of a text index, whose keys are terms.
  text: TextIndex | undefined
  // The fields of a geo index, which has no keys: geo queries read all documents.
  geo: readonly GeoField[]
}

export interface IndexField {
  path: string
  descending: boolean
}

export interface Collection {
  namespace: string
  database: string
  name: string
  id: string
  uuid: Buffer
  options: Doc
  indexes: Index[]
}

// A stored document, decoded when first read.
export class Row {
  readonly recordId: string
  readonly raw: Buffer
  #doc: Doc | undefined

  constructor(recordId: string, raw: Buffer, doc?: Doc) {
    this.recordId = recordId
    this.raw = raw
    this.#doc = doc
  }

  get doc(): Doc {
    this.#doc ??= decode(this.raw)
    return this.#doc
  }

  // At least the fields with these names, all without a list.
  fields(names: ReadonlySet<string> | undefined): Doc {
    return names === undefined ? this.doc : (this.#doc ?? decodeFields(this.raw, names))
  }
}
