/**
 * Finds the name that was probably meant.
 * @param name - what was written
 * @param known - what exists
 * @returns the nearest name, or undefined when none is near
 */
export function closestName(name: string, known: readonly string[]): string | undefined {
  const most = Math.max(2, Math.floor(name.length / 3))
  let best: { name: string; distance: number } | undefined
  for (const candidate of known) {
    const distance = countEdits(name.toLowerCase(), candidate.toLowerCase())
    if (distance <= most && distance < (best?.distance ?? Infinity))
      best = { name: candidate, distance }
  }
  return best?.name
}

// Levenshtein distance, one row at a time.
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_item, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const swap = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
