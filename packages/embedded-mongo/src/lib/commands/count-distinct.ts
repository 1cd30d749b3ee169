import { getField, isDocument } from '../bson/document.ts'
import { findCollection } from '../catalog/catalog.ts'
import { CommandError } from '../errors/command-error.ts'
import { encodeKey } from '../keys/encode-key.ts'
import { type Command, requireNamespace } from './context.ts'
import { countRows, readRows, toQuery } from './query-rows.ts'
import { maxDocumentBytes, requireFields, toCount, toDocument } from './requirements.ts'

export const count: Command = {
  options: ['query', 'limit', 'skip', 'hint', 'collation', 'fields'],
  run(context) {
    const { body, view } = context
    const collection = findCollection(view, requireNamespace(context))
    if (!collection) return { n: 0 }
    const filter = toDocument(body['query'], 'count.query')
    const n = countRows(context, collection, {
      filter,
      skip: toCount(body['skip'], 'count.skip'),
      limit: Math.abs(Number(body['limit'] ?? 0)),
      hint: body['hint'],
      collation: body['collation'],
    })
    return { n }
  },
}

export const distinct: Command = {
  options: ['key', 'query', 'collation', 'hint'],
  inTransaction: true,
  run(context) {
    const { body, view } = context
    const collection = findCollection(view, requireNamespace(context))
    requireFields(body, 'distinct', ['key'])
    const path = body['key']
    if (typeof path !== 'string' || path === '') {
      throw new CommandError('TypeMismatch', "BSON field 'distinct.key' must be a non-empty string")
    }
    if (!collection) return { values: [] }
    const filter = toDocument(body['query'], 'distinct.query')
    const { collation: spec, hint } = body
    const query = toQuery(context, collection, { filter, collation: spec, hint })
    const values = new Map<string, unknown>()
    let bytes = 0
    for (const { doc } of readRows(context, collection, query)) {
      for (const value of valuesAt(doc, path.split('.'))) {
        const key = encodeKey(value, false, query.collation)
        if (values.has(key)) continue
        values.set(key, value)
        // A key is about as long as its value.
        bytes += key.length
        if (bytes > maxDocumentBytes) {
          throw new CommandError('Location17217', 'distinct too big, 16mb cap')
        }
      }
    }
    return { values: [...values.values()] }
  },
}

// The values at a path; arrays along it and at its end are unwound, once each.
function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  const [field, ...rest] = path
  if (field === undefined) return Array.isArray(value) ? value : [value]
  if (Array.isArray(value)) {
    const place = /^\d+$/.test(field) ? value[Number(field)] : undefined
    const inside = value.filter((item) => isDocument(item)).flatMap((item) => valuesAt(item, path))
    return place === undefined ? inside : [...valuesAt(place, rest), ...inside]
  }
  const next = isDocument(value) ? getField(value, field) : undefined
  return next === undefined ? [] : valuesAt(next, rest)
}
