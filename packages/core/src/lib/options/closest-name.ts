// The known name that was probably meant, if one is similar enough.
export function closestName(name: string, known: readonly string[]): string | undefined {
  const maxDistance = Math.max(1, Math.floor(name.length * 0.4))
  let best: { name: string; distance: number } | undefined
  for (const candidate of known) {
    const distance = countEdits(name.toLowerCase(), candidate.toLowerCase())
    if (distance <= maxDistance && distance < (best?.distance ?? Infinity))
      best = { name: candidate, distance }
  }
  return best?.name
}

// Damerau-Levenshtein distance with adjacent swaps: "titel" is one edit away from "title". One row
// at a time.
function countEdits(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_item, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = at(last, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const swapped = isSwap ? at(beforeLast, j - 2) + 1 : Infinity
      row.push(Math.min(replaced, swapped, at(last, j) + 1, at(row, j - 1) + 1))
    }
    beforeLast = last
    last = row
  }
  return at(last, to.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0
}
