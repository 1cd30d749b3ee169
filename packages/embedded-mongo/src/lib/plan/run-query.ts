import { type Collection } from '../catalog/collection.ts'
import { Row } from '../catalog/row.ts'
import { documentRange, RECORD_ID_LENGTH } from '../storage/keys.ts'
import { scan } from '../storage/scan.ts'
import { type Reader, requireBytes } from '../storage/store.ts'
import { type Query } from './query.ts'
import { sortRows } from './sort-rows.ts'

/**
 * Finds the rows a query wants, in its order.
 *
 * @param reader What is seen.
 * @param collection The collection.
 * @param query What is wanted.
 * @returns The rows, found as they are asked for.
 */
export function runQuery(reader: Reader, collection: Collection, query: Query): Iterable<Row> {
  const matching = filterRows(scanRows(reader, collection, false), query)
  const top = query.limit === 0 ? 0 : query.skip + query.limit
  const ordered =
    query.sort && Object.keys(query.sort).length > 0
      ? sortRows(matching, { pattern: query.sort, top, collation: query.collation })
      : matching
  return slice(ordered, query)
}

function* scanRows(reader: Reader, collection: Collection, reverse: boolean): Generator<Row> {
  const range = { ...documentRange(collection.id), reverse }
  for (const [key, value] of scan(reader, range)) {
    yield new Row(key.slice(-RECORD_ID_LENGTH), requireBytes(value))
  }
}

function* filterRows(rows: Iterable<Row>, { matches, checkTime }: Query): Generator<Row> {
  let seen = 0
  for (const row of rows) {
    seen += 1
    if (seen % 256 === 0) checkTime()
    if (matches(row.doc)) yield row
  }
}

function* slice(rows: Iterable<Row>, { skip, limit }: Query): Generator<Row> {
  let position = 0
  for (const row of rows) {
    position += 1
    if (position <= skip) continue
    yield row
    if (limit > 0 && position === skip + limit) return
  }
}
