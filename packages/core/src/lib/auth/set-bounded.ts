/**
 * Sets an entry of a map that must not grow for ever; the oldest goes out.
 * @param map - the map
 * @param entry - key and value
 * @param most - most entries
 */
export function setBounded<K, V>(
  map: Map<K, V>,
  entry: readonly [key: K, value: V],
  most: number,
): void {
  const [key, value] = entry
  map.delete(key)
  map.set(key, value)
  if (map.size <= most) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}
