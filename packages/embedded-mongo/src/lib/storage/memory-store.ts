import { type Store } from './store.ts'
import { Tree } from './tree.ts'

/**
 * A store that ends with its process.
 *
 * @returns An empty store.
 */
export function createMemoryStore(): Store {
  const tree = new Tree()
  return {
    get: (key) => tree.get(key),
    slice: (range, limit) => tree.slice(range, limit),
    apply: (batch) => tree.apply(batch),
    snapshot: () => tree.clone(),
    compact: () => Promise.resolve(),
    sync: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}
