import { type Doc, getField, isDocument, setField } from '../bson/document.ts'
import { isIdentical } from '../keys/compare.ts'

interface UpdateDescription {
  updatedFields: Doc
  removedFields: string[]
  truncatedArrays: { field: string; newSize: number }[]
  // The parts of paths whose text does not tell names and positions apart.
  disambiguatedPaths: Doc
}

export function describeUpdate(before: Doc, after: Doc): UpdateDescription {
  const description = {
    updatedFields: {},
    removedFields: [],
    truncatedArrays: [],
    disambiguatedPaths: {},
  }
  compareDocuments({ before, after, parts: [] }, description)
  return description
}

interface Pair<T> {
  before: T
  after: T
  // Names of fields and positions in arrays.
  parts: (string | number)[]
}

function compareDocuments({ before, after, parts }: Pair<Doc>, found: UpdateDescription): void {
  for (const field of Object.keys(before)) {
    if (!Object.hasOwn(after, field)) found.removedFields.push(toPath([...parts, field], found))
  }
  for (const [field, value] of Object.entries(after)) {
    compareValues(
      { before: getField(before, field), after: value, parts: [...parts, field] },
      found,
    )
  }
}

function compareValues({ before, after, parts }: Pair<unknown>, found: UpdateDescription): void {
  if (isIdentical(before, after)) return
  if (isDocument(before) && isDocument(after)) {
    compareDocuments({ before, after, parts }, found)
  } else if (Array.isArray(before) && Array.isArray(after)) {
    compareArrays({ before, after, parts }, found)
  } else {
    setField(found.updatedFields, toPath(parts, found), after)
  }
}

function compareArrays({ before, after, parts }: Pair<unknown[]>, found: UpdateDescription): void {
  if (after.length === 0) {
    setField(found.updatedFields, toPath(parts, found), after)
    return
  }
  if (after.length < before.length) {
    found.truncatedArrays.push({ field: toPath(parts, found), newSize: after.length })
  }
  for (const [position, value] of after.entries()) {
    compareValues({ before: before[position], after: value, parts: [...parts, position] }, found)
  }
}

function toPath(parts: (string | number)[], found: UpdateDescription): string {
  const path = parts.join('.')
  const isAmbiguous = parts.some((part) => typeof part === 'string' && /\.|^\d+$/.test(part))
  if (isAmbiguous) setField(found.disambiguatedPaths, path, parts)
  return path
}
