export interface Hits {
  /** Hits in the window so far, including this one. */
  readonly count: number
  /** When the window ends, in milliseconds since the epoch. */
  readonly resetAt: number
}

/** Counts hits by key in fixed windows. */
export interface Counter {
  hit(key: string): Hits | Promise<Hits>
  /** Takes back one hit. */
  undo(key: string): void | Promise<void>
}

export interface MemoryCounterOptions {
  readonly window: number
  /** Maximum number of keys; beyond it the key with the oldest window is dropped. */
  readonly maxKeys?: number | undefined
  readonly now?: (() => number) | undefined
}

export interface MemoryCounter extends Counter {
  /** Number of keys in memory. */
  readonly size: number
  hit(key: string): Hits
  undo(key: string): void
}

// The window of a key begins with its first hit. Around the border of two windows up to twice the
// limit can pass, which is the price of one small object for each client. There is no timer.
export function createMemoryCounter(options: MemoryCounterOptions): MemoryCounter {
  const { window, maxKeys = 100_000, now = Date.now } = options
  // All windows are equally long, so the order of insertion is the order in which they end.
  const windows = new Map<string, { count: number; resetAt: number }>()
  const nextOldest = createCursor(windows)
  let oldest: [key: string, hits: Hits] | undefined

  function open(key: string, time: number): Hits {
    windows.delete(key)
    dropOldest(time)
    const hits = { count: 1, resetAt: time + window }
    windows.set(key, hits)
    return hits
  }

  // Up to two are removed for each one added, so ended windows are removed faster than they came.
  function dropOldest(time: number): void {
    for (let left = 2; left > 0; left--) {
      oldest ??= nextOldest()
      if (oldest === undefined) return
      const [key, hits] = oldest
      if (windows.get(key) === hits) {
        if (hits.resetAt > time && windows.size < maxKeys) return
        windows.delete(key)
      }
      oldest = undefined
    }
  }

  return {
    get size() {
      return windows.size
    },
    hit(key) {
      const time = now()
      const hits = windows.get(key)
      if (hits === undefined || hits.resetAt <= time) return open(key, time)
      hits.count++
      return hits
    },
    undo(key) {
      const hits = windows.get(key)
      if (hits !== undefined && hits.resetAt > now() && hits.count > 0) hits.count--
    },
  }
}

// The entries of a map one by one, oldest first. It keeps its iterator: a new one would have to skip
// every entry deleted since the map was last rebuilt.
function createCursor<K, V>(map: ReadonlyMap<K, V>): () => [K, V] | undefined {
  let entries = map.entries()
  return () => {
    let next = entries.next()
    if (next.done === true) {
      entries = map.entries()
      next = entries.next()
    }
    return next.value
  }
}
