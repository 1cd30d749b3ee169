import { assume } from '../bson/assume.ts'
import { type Doc } from '../bson/document.ts'
import { documentKeys } from '../keys/document-keys.ts'
import { compileFilter } from '../query/compile-filter.ts'
import { indexPrefix } from '../storage/keys.ts'
import { type Index } from './collection.ts'

/** What an index holds of one document. */
export interface IndexEntries {
  /** Whole keys of the tree, without the record id. */
  keys: string[]
  /** Per field: an array lies on its path. */
  multikey: boolean[]
}

const NONE: IndexEntries = { keys: [], multikey: [] }

// Indexes are read anew from the catalog when they change, so what is compiled from one stays true.
const readers = new WeakMap<Index, (doc: Doc) => IndexEntries>()

/**
 * The entries a document has in an index; none when the index is sparse or partial without it.
 *
 * @param index The index.
 * @param doc The document.
 * @returns Its entries.
 * @throws {CommandError} 171 when two independent arrays meet in one index.
 */
export function indexEntries(index: Index, doc: Doc): IndexEntries {
  let reader = readers.get(index)
  if (!reader) {
    reader = createReader(index)
    readers.set(index, reader)
  }
  return reader(doc)
}

function createReader({
  id,
  pattern,
  options,
  sparse,
  collation,
}: Index): (doc: Doc) => IndexEntries {
  const prefix = indexPrefix(id)
  const partial = assume<Doc | undefined>(options['partialFilterExpression'])
  const isMember = partial && compileFilter(partial, { now: new Date(0), collation })
  return (doc) => {
    if (isMember && !isMember(doc)) return NONE
    const { keys, multikey, present } = documentKeys(doc, pattern, collation)
    if (sparse && !present) return NONE
    return { keys: keys.map((key) => prefix + key), multikey }
  }
}
