import { type Timestamp } from 'bson'
import { CommandError } from '../errors/command-error.ts'
import { type Reader, type Store } from '../storage/store.ts'

const lifetimeMs = 5 * 60_000
const maxSnapshots = 100

// The past states that snapshot reads outside transactions return to.
export interface Snapshots {
  // The present state.
  take(time: Timestamp): Reader
  // A state that was taken; throws once it is forgotten.
  at(time: Timestamp): Reader
  forgetOld(now: number): void
}

export function createSnapshots(store: Store): Snapshots {
  const taken = new Map<string, { reader: Reader; takenAt: number }>()
  return {
    take(time) {
      const key = keyOf(time)
      const known = taken.get(key)
      if (known) return known.reader
      const reader = store.snapshot()
      taken.set(key, { reader, takenAt: Date.now() })
      const [oldest] = taken.keys()
      if (taken.size > maxSnapshots && oldest !== undefined) taken.delete(oldest)
      return reader
    },
    at(time) {
      const known = taken.get(keyOf(time))
      if (known) return known.reader
      throw new CommandError(
        'SnapshotTooOld',
        `Read timestamp ${keyOf(time)} is older than the oldest available timestamp.`,
      )
    },
    forgetOld(now) {
      for (const [key, { takenAt }] of taken) {
        if (now - takenAt > lifetimeMs) taken.delete(key)
      }
    },
  }
}

function keyOf({ t, i }: Timestamp): string {
  return `${t}.${i}`
}
