import { countsOf, listCollections } from '../catalog/catalog.ts'
import { type Collection, type Index, Row } from '../catalog/collection.ts'
import { writeRecord } from '../catalog/records.ts'
import { encodeKey } from '../keys/encode-key.ts'
import { commitView } from '../sessions/commit.ts'
import { overdueRetries } from '../sessions/retries.ts'
import { documentKey, indexPrefix, prefixEnd } from '../storage/keys.ts'
import { type KeyRange, requireBytes, scan } from '../storage/store.ts'
import { View } from '../storage/view.ts'
import { type ServerState } from './server-state.ts'

const cleanIntervalMs = 30_000
const warnDocuments = 250_000
const warnBytes = 512 * 1024 * 1024

// Runs what happens between commands: expiry of documents, cursors and transactions, and warnings.
export function startMaintenance(server: ServerState, warn: (message: string) => void): () => void {
  const checkSize = createSizeWarning(server, warn)
  const guard = (run: () => void) => (): void => {
    try {
      run()
    } catch (error) {
      warn(`Embedded database: maintenance failed: ${String(error)}`)
    }
  }
  const timers = [
    setInterval(
      guard(() => clean(server)),
      cleanIntervalMs,
    ),
    setInterval(guard(checkSize), cleanIntervalMs),
  ]
  for (const timer of timers) timer.unref()
  const stopExpiry = startExpiry(
    server,
    guard(() => expire(server)),
  )
  checkSize()
  return () => {
    stopExpiry()
    for (const timer of timers) clearInterval(timer)
  }
}

function startExpiry({ parameters }: ServerState, run: () => void): () => void {
  const start = (): NodeJS.Timeout =>
    setInterval(() => {
      if (parameters.ttlMonitorEnabled) run()
    }, parameters.ttlMonitorSleepSecs * 1000).unref()
  let timer = start()
  parameters.changed = () => {
    clearInterval(timer)
    timer = start()
  }
  return () => clearInterval(timer)
}

function expire(server: ServerState): void {
  const view = new View(server.store)
  expireDocuments(server, view)
  if (!view.isEmpty) commitView(server, view, [])
}

function clean(server: ServerState): void {
  const now = Date.now()
  server.cursors.killIdle(now)
  server.snapshots.forgetOld(now)
  for (const transaction of server.transactions.overdue(now)) {
    server.transactions.end(transaction, 'aborted')
  }
  forgetDropped(server)
  const view = new View(server.store)
  for (const key of overdueRetries(server.store, now)) view.delete(key)
  if (!view.isEmpty) commitView(server, view, [])
}

// A transaction may have collections that are not stored yet.
function forgetDropped({ store, usage, ids, transactions }: ServerState): void {
  if (transactions.open().length > 0) return
  const collections = listCollections(store)
  usage.keepOnly(collections)
  ids.keepOnly(collections)
}

// Logged once, because it cannot be fixed immediately.
function createSizeWarning(server: ServerState, warn: (message: string) => void): () => void {
  let hasWarned = false
  return () => {
    if (hasWarned) return
    const counts = listCollections(server.store).map(({ id }) => countsOf(server.store, id))
    const documents = counts.reduce((sum, count) => sum + count.documents, 0)
    const bytes = counts.reduce((sum, count) => sum + count.bytes, 0)
    if (documents < warnDocuments && bytes < warnBytes) return
    hasWarned = true
    warn(
      `Warning: the embedded database holds ${documents} documents, ${Math.round(bytes / 1024 / 1024)} MB, all in memory. ` +
        'It is designed for less: set MONGODB_URI to a MongoDB server (docs/database.md describes the migration).',
    )
  }
}

// What an open transaction has written expires after its end.
function expireDocuments({ transactions }: ServerState, view: View): void {
  const now = Date.now()
  for (const collection of listCollections(view)) {
    for (const index of collection.indexes) {
      const seconds = index.options['expireAfterSeconds']
      if (seconds === undefined) continue
      const limit = new Date(now - Number(seconds) * 1000)
      for (const row of findExpired(view, { collection, index, limit })) {
        if (transactions.holderOf(documentKey(collection.id, row.recordId))) continue
        writeRecord(view, collection.namespace, { before: row })
      }
    }
  }
}

function findExpired(
  view: View,
  { collection, index, limit }: { collection: Collection; index: Index; limit: Date },
): Row[] {
  // Each date of an array has an entry, so the earliest decides; other types are outside the range.
  const recordIds = new Set<string>()
  for (const [, value] of scan(view, expiredRange(index, limit))) recordIds.add(value.toString())
  return [...recordIds].map(
    (recordId) => new Row(recordId, requireBytes(view.get(documentKey(collection.id, recordId)))),
  )
}

function expiredRange({ id, fields }: Index, limit: Date): KeyRange {
  const prefix = indexPrefix(id)
  const isDescending = fields[0]?.descending === true
  const key = encodeKey(limit, isDescending)
  const dates = prefix + key.slice(0, 1)
  return isDescending
    ? { start: prefix + key, end: prefixEnd(dates) }
    : { start: dates, end: prefixEnd(prefix + key) }
}
