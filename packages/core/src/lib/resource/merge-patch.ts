import { isRecord } from './plain.ts'

/**
 * Merges a JSON Merge Patch into a value (RFC 7396 section 2): objects are merged member by member,
 * null removes a member, everything else replaces.
 * @param target - what is there; anything but an object counts as an empty one
 * @param patch - what is to be merged into it
 * @returns a new value; neither argument is changed
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch
  const members = new Map(isRecord(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    // No schema describes such a member, and whoever copies the value by assignment would trip.
    if (key === '__proto__' || value === undefined) continue
    if (value === null) members.delete(key)
    else members.set(key, applyMergePatch(members.get(key), value))
  }
  return Object.fromEntries(members)
}
