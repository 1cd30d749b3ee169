import { countsOf, listCollections } from '../catalog/catalog.ts'
import { expireDocuments } from '../catalog/expire-documents.ts'
import { commitView } from '../sessions/commit.ts'
import { overdueRetries } from '../sessions/retries.ts'
import { View } from '../storage/view.ts'
import { type ServerState } from './server-state.ts'

const CLEAN_INTERVAL_MS = 30_000
const MANY_DOCUMENTS = 250_000
const MANY_BYTES = 512 * 1024 * 1024

/** How a server looks after itself. */
export interface MaintenanceOptions {
  ttlIntervalMs: number
  warn: (message: string) => void
}

/**
 * Starts what runs between commands: expiry of documents, cursors, transactions, and warnings.
 *
 * @param server The server's state.
 * @param options Intervals, and who is told.
 * @returns Stops it.
 */
export function startMaintenance(server: ServerState, options: MaintenanceOptions): () => void {
  const checkSize = createSizeWarning(server, options.warn)
  const guard = (run: () => void) => (): void => {
    try {
      run()
    } catch (error) {
      options.warn(`Embedded database: maintenance failed: ${String(error)}`)
    }
  }
  const timers = [
    setInterval(
      guard(() => expire(server)),
      options.ttlIntervalMs,
    ),
    setInterval(
      guard(() => clean(server)),
      CLEAN_INTERVAL_MS,
    ),
    setInterval(guard(checkSize), CLEAN_INTERVAL_MS),
  ]
  for (const timer of timers) timer.unref()
  checkSize()
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}

function expire(server: ServerState): void {
  const view = new View(server.store)
  expireDocuments(view, new Date())
  if (!view.isEmpty) commitView(server, view, [])
}

function clean(server: ServerState): void {
  const now = Date.now()
  server.cursors.killIdle(now)
  for (const transaction of server.transactions.overdue(now)) {
    server.transactions.end(transaction, 'aborted')
  }
  const view = new View(server.store)
  for (const key of overdueRetries(server.store, now)) view.delete(key)
  if (!view.isEmpty) commitView(server, view, [])
}

// Said once: the one who reads it cannot do anything about it at once.
function createSizeWarning(server: ServerState, warn: (message: string) => void): () => void {
  let isSaid = false
  return () => {
    if (isSaid) return
    const counts = listCollections(server.store).map(({ id }) => countsOf(server.store, id))
    const documents = counts.reduce((sum, count) => sum + count.documents, 0)
    const bytes = counts.reduce((sum, count) => sum + count.bytes, 0)
    if (documents < MANY_DOCUMENTS && bytes < MANY_BYTES) return
    isSaid = true
    warn(
      `Warning: the embedded database holds ${documents} documents, ${Math.round(bytes / 1024 / 1024)} MB, all in memory. ` +
        'It is made for less: set MONGODB_URI to a MongoDB server (docs/database.md tells how to move).',
    )
  }
}
