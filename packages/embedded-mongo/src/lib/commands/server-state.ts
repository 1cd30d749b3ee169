import { listCollections } from '../catalog/catalog.ts'
import { type Collection } from '../catalog/collection.ts'
import { type ChangeLog } from '../change-streams/change-log.ts'
import { type ClusterClock } from '../sessions/cluster-clock.ts'
import {
  documentRange,
  fromBytes,
  recordIdLength,
  toBytes,
  toObjectKeyId,
} from '../storage/keys.ts'
import { scan, type Store } from '../storage/store.ts'
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

// The replica set: its name and its addresses. A driver waits for a secondary when a read asks for one, so there
// has to be one.
export interface Members {
  name: string
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
  // Forgets dropped collections and indexes.
  keepOnly(collections: readonly Collection[]): void
}

export function createIds(store: Store): Ids {
  let last = 0
  for (const { id, indexes } of listCollections(store)) {
    last = Math.max(last, fromBytes(id), ...indexes.map((index) => fromBytes(index.id)))
  }
  const times = new Map<string, Date>()
  const records = new Map<string, number>()
  return {
    next() {
      last += 1
      times.set(toObjectKeyId(last), new Date())
      return last
    },
    createdAt: (id) => times.get(id),
    nextRecord(collectionId) {
      const next = (records.get(collectionId) ?? lastRecord(store, collectionId)) + 1
      records.set(collectionId, next)
      return toBytes(next, recordIdLength)
    },
    keepOnly(collections) {
      const known = new Set(
        collections.flatMap(({ id, indexes }) => [id, ...indexes.map((index) => index.id)]),
      )
      for (const map of [times, records]) {
        for (const id of map.keys()) if (!known.has(id)) map.delete(id)
      }
    },
  }
}

function lastRecord(store: Store, collectionId: string): number {
  for (const [key] of scan(store, { ...documentRange(collectionId), reverse: true })) {
    return fromBytes(key.slice(-recordIdLength))
  }
  return 0
}
