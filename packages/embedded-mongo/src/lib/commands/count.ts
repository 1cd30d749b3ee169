import { findCollection } from '../catalog/catalog.ts'
import { type Command, requireNamespace } from './context.ts'
import { countRows } from './query-rows.ts'
import { toCount, toDocument } from './requirements.ts'

/** Counts documents. */
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
