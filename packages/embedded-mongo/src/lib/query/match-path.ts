import { type Doc, getField, isDocument } from '../bson/document.ts'

// Undefined is a missing field.
export type ValueTest = (value: unknown) => boolean

export type Predicate = (doc: Doc) => boolean

// The first element of the outermost array that matched, recorded while a filter runs: positional
// updates and projections refer to it.
export class HitRecorder {
  #hit = -1

  find(matches: () => boolean): number | undefined {
    this.#hit = -1
    return matches() ? this.#hit : undefined
  }

  record(index: number): void {
    if (this.#hit === -1) this.#hit = index
  }

  // Matches one element of an array.
  element(index: number, matches: () => boolean): boolean {
    const before = this.#hit
    const result = matches()
    this.#hit = result && before === -1 ? index : before
    return result
  }

  // Discards what was recorded, unless the group matches and is not negated.
  group(negated: boolean, matches: () => boolean): boolean {
    const before = this.#hit
    const result = matches()
    if (negated || !result) this.#hit = before
    return result
  }
}

// Binds a test to a dotted path, with MongoDB's rules for arrays: a path continues in each document
// of an array and in the element its next part numbers; at its end every element is tested, then
// the array itself. A path that ends in scalars of an array tests nothing, not even "missing".
export function matchPath(
  path: string,
  test: ValueTest,
  whole: boolean,
  hits: HitRecorder,
): Predicate {
  const testEnd: ValueTest = whole
    ? test
    : (value) => (Array.isArray(value) ? anyElement(value, test, hits) || test(value) : test(value))
  if (!path.includes('.')) return (doc) => testEnd(getField(doc, path))
  const parts = path.split('.')
  const steps = parts.map((name, i) => ({
    name,
    index: /^(?:0|[1-9]\d*)$/.test(name) ? Number(name) : -1,
    isLast: i === parts.length - 1,
  }))
  return createWalk(steps, test, testEnd, hits)
}

function anyElement(array: unknown[], test: ValueTest, hits: HitRecorder): boolean {
  for (let i = 0; i < array.length; i++) {
    if (test(array[i])) {
      hits.record(i)
      return true
    }
  }
  return false
}

interface Step {
  name: string
  index: number
  isLast: boolean
}

function createWalk(
  steps: readonly Step[],
  test: ValueTest,
  testEnd: ValueTest,
  hits: HitRecorder,
): Predicate {
  const walkDocument = (doc: Doc, at: number): boolean => {
    const step = steps[at]
    if (step === undefined) return false
    const value = getField(doc, step.name)
    if (step.isLast) return testEnd(value)
    if (isDocument(value)) return walkDocument(value, at + 1)
    return Array.isArray(value) ? walkArray(value, at + 1) : test(undefined)
  }
  const walkArray = (array: unknown[], at: number): boolean =>
    array.some((item, i) =>
      hits.element(i, () => (isDocument(item) && walkDocument(item, at)) || walkPlace(item, i, at)),
    )
  const walkPlace = (item: unknown, i: number, at: number): boolean => {
    const step = steps[at]
    if (step?.index !== i) return false
    if (step.isLast) return test(item)
    if (isDocument(item)) return walkDocument(item, at + 1)
    return Array.isArray(item) && walkArray(item, at + 1)
  }
  return (doc) => walkDocument(doc, 0)
}
