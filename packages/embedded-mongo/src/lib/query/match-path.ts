import { type Doc, getField, isDocument } from '../bson/document.ts'
import { matchElement, noteHit } from './hits.ts'

/** Tests one value; undefined is a missing field. */
export type ValueTest = (value: unknown) => boolean

/** Tests a document. */
export type Predicate = (doc: Doc) => boolean

/**
 * Binds a test to a dotted path, with MongoDB's way through arrays: a path goes on in each document
 * of an array and in the element its next part numbers; at its end every element is tested, then
 * the array itself. A path that ends in scalars of an array tests nothing, not even "missing".
 * @param path - The dotted path.
 * @param test - The test.
 * @param whole - Tests an array at the end of the path only as a whole.
 * @returns True when any value at the path passes.
 */
export function matchPath(path: string, test: ValueTest, whole: boolean): Predicate {
  const testEnd: ValueTest = whole
    ? test
    : (value) => (Array.isArray(value) ? anyElement(value, test) || test(value) : test(value))
  if (!path.includes('.')) return (doc) => testEnd(getField(doc, path))
  const parts = path.split('.')
  const steps = parts.map((name, i) => ({
    name,
    index: /^(?:0|[1-9]\d*)$/.test(name) ? Number(name) : -1,
    isLast: i === parts.length - 1,
  }))
  return createWalk(steps, test, testEnd)
}

function anyElement(array: unknown[], test: ValueTest): boolean {
  for (let i = 0; i < array.length; i++) {
    if (test(array[i])) {
      noteHit(i)
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

function createWalk(steps: readonly Step[], test: ValueTest, testEnd: ValueTest): Predicate {
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
      matchElement(i, () => (isDocument(item) && walkDocument(item, at)) || walkPlace(item, i, at)),
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
