import { listCollections } from '../catalog/catalog.ts'
import { type ChangeLog } from '../change-streams/change-log.ts'
import { type ClusterClock } from '../sessions/cluster-clock.ts'
import { fromBytes, recordIdLength, documentRange, toBytes } from '../storage/keys.ts'
import { type Store } from '../storage/store.ts'
import { type Snapshots } from '../sessions/snapshots.ts'
import { type Transactions } from '../sessions/transactions.ts'
import { type Cursors } from './cursors.ts'
import { type FailPoints } from './failure.ts'
import { type Operations } from './operations.ts'
import { type Usage } from './usage.ts'

export interface ServerState {
  store: Store
  clock: ClusterClock
  cursors: Cursors
  transactions: Transactions
  snapshots: Snapshots
  ids: Ids
  // As reported by `hello`.
  members: Members
  // Which member the address of the client is; both serve the same data.
  isPrimary: boolean
  startedAt: Date
  streams: ChangeLog
  parameters: Parameters
  failPoints: FailPoints
  operations: Operations
  usage: Usage
  connections: Connections
  isPersistent: boolean
}

// What setParameter sets.
export interface Parameters {
  ttlMonitorSleepSecs: number
  ttlMonitorEnabled: boolean
  transactionLifetimeLimitSeconds: number
  // Called after a change.
  changed: () => void
}

export interface Connections {
  current: number
  totalCreated: number
}

// The addresses of the replica set. A driver waits for a secondary when a read asks for one, so there
// has to be one.
export interface Members {
  primary: string
  secondary: string
}

// Creates ids that were never used while this process runs.
interface Ids {
  // For a collection or an index.
  next(): number
  // When this process created the collection or index.
  createdAt(id: string): Date | undefined
  // For a document of the collection.
  nextRecord(collectionId: string): string
}

export function createIds(store: Store): Ids {
  let last = 0
  for (const { id, indexes } of listCollections(store)) {
    last = Math.max(last, fromBytes(id), ...indexes.map((index) => fromBytes(index.id)))
  }
  const times = new Map<number, Date>()
  const records = new Map<string, number>()
  return {
    next() {
      last += 1
      times.set(last, new Date())
      return last
    },
    createdAt: (id) => times.get(fromBytes(id)),
    nextRecord(collectionId) {
      const next = (records.get(collectionId) ?? lastRecord(store, collectionId)) + 1
      records.set(collectionId, next)
      return toBytes(next, recordIdLength)
    },
  }
}

function lastRecord(store: Store, collectionId: string): number {
  const range = { ...documentRange(collectionId), reverse: true }
  const key = store.slice(range, 1).entries[0]?.[0]
  return key === undefined ? 0 : fromBytes(key.slice(-recordIdLength))
}
