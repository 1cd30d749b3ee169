/** How often a key was hit in its window. */
export interface Hits {
  /** Hits so far, this one included. */
  readonly count: number
  /** When the window ends, in milliseconds of the clock. */
  readonly resetAt: number
}

/** Options for {@link createFixedWindow}. */
export interface FixedWindowOptions {
  /** Length of a window in milliseconds; it begins with the first hit of a key. */
  windowMs: number
  /**
   * Most keys that are kept; beyond it the key whose window began first is forgotten.
   * @default 100_000
   */
  capacity?: number | undefined
  /**
   * The clock, in milliseconds.
   * @default Date.now
   */
  now?: (() => number) | undefined
}

/** Counts hits by key, in memory, without waiting. */
export interface FixedWindow {
  /** Number of keys in memory. */
  readonly size: number
  /** Counts one hit. */
  hit(key: string): Hits
  /** Looks without counting. */
  peek(key: string): Hits | undefined
  /** Takes one hit back. */
  undo(key: string): void
  /** Forgets a key. */
  forget(key: string): void
}

/**
 * Makes a counter with one fixed window for each key. At the border of two windows up to twice the
 * limit can pass in a short time; that is the price of one small object for each client.
 * @param options - window, capacity and clock
 * @returns the counter; it needs no timer and never grows beyond its capacity
 */
export function createFixedWindow(options: FixedWindowOptions): FixedWindow {
  const { windowMs, capacity = 100_000, now = Date.now } = options
  // All windows are equally long, so the order of insertion is the order in which they end.
  const windows = new Map<string, { count: number; resetAt: number }>()
  const takeOldest = walk(windows)
  let oldest: [key: string, hits: Hits] | undefined

  function open(key: string, time: number): Hits {
    windows.delete(key)
    dropOldest(time)
    const hits = { count: 1, resetAt: time + windowMs }
    windows.set(key, hits)
    return hits
  }

  // Two out for each one in: what has ended goes away sooner than it came.
  function dropOldest(time: number): void {
    for (let left = 2; left > 0; left--) {
      oldest ??= takeOldest()
      if (oldest === undefined) return
      const [key, hits] = oldest
      if (windows.get(key) === hits) {
        if (hits.resetAt > time && windows.size < capacity) return
        windows.delete(key)
      }
      oldest = undefined
    }
  }

  function current(key: string): { count: number; resetAt: number } | undefined {
    const hits = windows.get(key)
    return hits !== undefined && hits.resetAt > now() ? hits : undefined
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
    peek: current,
    undo(key) {
      const hits = current(key)
      if (hits !== undefined && hits.count > 0) hits.count--
    },
    forget(key) {
      windows.delete(key)
    },
  }
}

// The entries of a map one by one, oldest first. It goes on where it was: to begin again would be to
// pass all that has been deleted since.
function walk<K, V>(map: ReadonlyMap<K, V>): () => [K, V] | undefined {
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
