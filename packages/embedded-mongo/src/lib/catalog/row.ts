import { decode } from '../bson/decode.ts'
import { type Doc } from '../bson/document.ts'

/** A stored document with its place; decoded when somebody looks inside. */
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
}
