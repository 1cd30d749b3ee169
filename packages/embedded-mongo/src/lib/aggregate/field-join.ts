import { type Doc } from '../bson/document.ts'
import { expand } from '../keys/document-keys.ts'
import { encodeKey } from '../keys/encode-key.ts'
import { isRegExp } from '../bson/regex.ts'
import { compileFilter } from '../query/compile-filter.ts'
import { type PipelineContext } from './stage.ts'

interface FieldJoin {
  from: string
  foreign: string
  surroundings: PipelineContext
}

// Uses an index when there is one, else reads the other collection once.
export function createFieldJoin(join: FieldJoin): (local: unknown) => Iterable<Doc> {
  const { from, foreign, surroundings } = join
  if (surroundings.isIndexed?.(from, foreign)) {
    return (local) => surroundings.collection(from, { filter: toFilter(foreign, toValues(local)) })
  }
  let table: Table | undefined
  return (local) => {
    table ??= readTable(join)
    return table.find(toValues(local))
  }
}

function toValues(local: unknown): unknown[] {
  return Array.isArray(local) ? local : [local ?? null]
}

function toFilter(field: string, values: readonly unknown[]): Doc {
  // In $in a regular expression would match text.
  if (!values.some(isRegExp)) return { [field]: { $in: values } }
  return { $or: values.map((value) => ({ [field]: { $eq: value } })) }
}

interface Table {
  find(values: readonly unknown[]): Iterable<Doc>
}

function readTable({ from, foreign, surroundings }: FieldJoin): Table {
  const { collation } = surroundings
  const docs = [...surroundings.collection(from)]
  const places = new Map<string, number[]>()
  for (const [place, doc] of docs.entries()) {
    const keys = expand(doc, [foreign]).rows.map(([value]) => encodeKey(value, false, collation))
    for (const key of new Set(keys)) {
      const found = places.get(key)
      if (found) found.push(place)
      else places.set(key, [place])
    }
  }
  return {
    find(values) {
      if (values.length === 0) return []
      const filter = compileFilter(toFilter(foreign, values), { collation })
      // The table holds the elements of arrays, so it does not find whole arrays.
      if (values.some((value) => Array.isArray(value))) return docs.filter((doc) => filter(doc))
      const found = new Set<number>()
      for (const value of values) {
        for (const place of places.get(encodeKey(value, false, collation)) ?? []) found.add(place)
      }
      const matching: Doc[] = []
      for (const place of [...found].toSorted((a, b) => a - b)) {
        const doc = docs[place]
        if (doc !== undefined && filter(doc)) matching.push(doc)
      }
      return matching
    },
  }
}
