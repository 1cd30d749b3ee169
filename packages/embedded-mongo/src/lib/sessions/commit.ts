import { countsOf, toCountsValue } from '../catalog/catalog.ts'
import { countsKey } from '../storage/keys.ts'
import { type Batch, type Store } from '../storage/store.ts'
import { type ChangeLog } from '../change-streams/change-log.ts'
import { type View } from '../storage/view.ts'
import { type ClusterClock } from './cluster-clock.ts'

interface CommitTarget {
  store: Store
  clock: ClusterClock
  streams: ChangeLog
}

export function commitView(target: CommitTarget, view: View, extra: Batch['puts']): void {
  const batch = view.toBatch()
  for (const put of extra) batch.puts.push(put)
  for (const [collectionId, change] of view.counts) {
    const counts = countsOf(target.store, collectionId)
    const documents = counts.documents + change.documents
    const bytes = counts.bytes + change.bytes
    batch.puts.push([countsKey(collectionId), toCountsValue({ documents, bytes })])
  }
  target.store.apply(batch)
  target.streams.record(view, target.clock.tick())
}
