import { type Doc } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'
import { expand } from '../keys/document-keys.ts'
import { encodeKey } from '../keys/encode-key.ts'
import { scoreTerms, type TextIndex } from './text-index.ts'

// The keys of a document: one per term, after the values of the fields before the text.
export function textKeys(index: TextIndex, doc: Doc): string[] {
  const { rows, multikey } = expand(doc, index.prefix)
  const array = index.prefix.find((_path, i) => multikey[i])
  if (array !== undefined) {
    throw new CommandError(
      'CannotBuildIndexKeys',
      `Field '${array}' of text index contains an array in document`,
    )
  }
  return [...scoreTerms(index, doc).keys()].map((term) => textKey(rows[0] ?? [], term))
}

export function textKey(prefix: readonly unknown[], term: string): string {
  return [...prefix, term].map((value) => encodeKey(value)).join('')
}
