// Sets an entry of a map and removes the oldest one when the map has more than `maxSize`.
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, maxSize: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= maxSize) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}
