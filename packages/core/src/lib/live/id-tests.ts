import mongoose from 'mongoose'

// Conditions of a scope that compare a field with one id, such as `owner`. They can be decided without the database, because no
// collation and no other type makes another value equal to an id. A document that fails one of them is outside the scope.
export type IdTests = ReadonlyMap<string, mongoose.Types.ObjectId>

// The tests in a filter that the model has cast.
export function toIdTests(filter: object): IdTests {
  return new Map(toEntries(filter))
}

function toEntries(filter: object): (readonly [string, mongoose.Types.ObjectId])[] {
  return Object.entries(filter).flatMap(([key, test]) => {
    if (key === '$and' && Array.isArray(test))
      return test.flatMap((part) => toEntries(Object(part)))
    const value: unknown = isEquality(test) ? test.$eq : test
    const isTest = !key.startsWith('$') && !key.includes('.') && isObjectId(value)
    return isTest ? [[key, value] as const] : []
  })
}

function isEquality(test: unknown): test is { readonly $eq: unknown } {
  return typeof test === 'object' && test !== null && '$eq' in test
}

export function isSurelyOutside(tests: IdTests, document: object): boolean {
  for (const [field, id] of tests) {
    const value: unknown = Object.hasOwn(document, field) ? Reflect.get(document, field) : undefined
    // A list is equal if one of its items is.
    if (!Array.isArray(value) && !(isObjectId(value) && value.equals(id))) return true
  }
  return false
}

function isObjectId(value: unknown): value is mongoose.Types.ObjectId {
  return value instanceof mongoose.Types.ObjectId
}
