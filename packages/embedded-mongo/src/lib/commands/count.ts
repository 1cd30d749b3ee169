import { countsOf, findCollection } from '../catalog/catalog.ts'
import { type Command, requireNamespace } from './context.ts'
import { queryRows } from './query-rows.ts'
import { toCount, toDocument } from './requirements.ts'

/** Counts documents. */
export const count: Command = {
  options: ['query', 'limit', 'skip', 'hint', 'collation', 'fields'],
  run(context) {
    const { body, view } = context
    const collection = findCollection(view, requireNamespace(context))
    if (!collection) return { n: 0 }
    const filter = toDocument(body['query'], 'count.query')
    const skip = toCount(body['skip'], 'count.skip') ?? 0
    const limit = Math.abs(Number(body['limit'] ?? 0))
    if (Object.keys(filter).length === 0) {
      const rest = Math.max(0, countsOf(view, collection.id).documents - skip)
      return { n: limit > 0 ? Math.min(limit, rest) : rest }
    }
    const collation = body['collation']
    const rows = queryRows(context, collection, {
      filter,
      skip,
      limit,
      hint: body['hint'],
      collation,
    })
    return { n: [...rows].length }
  },
}
