/**
 * Finds the known word a user most likely meant.
 *
 * @param input the word as typed
 * @param known the words that would have been accepted
 * @returns the nearest known word, or `undefined` when none is near enough to be a typing error
 */
export function suggest(input: string, known: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(input.length * 0.4))
  let best: string | undefined
  let bestDistance = limit + 1
  for (const word of known) {
    const distance = editDistance(input.toLowerCase(), word.toLowerCase())
    if (distance < bestDistance) {
      best = word
      bestDistance = distance
    }
  }
  return best
}

// Damerau-Levenshtein with adjacent swaps: "titel" is one mistake, not two.
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let distance = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + cost)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) distance = Math.min(distance, at(beforeLast, j - 2) + 1)
      row.push(distance)
    }
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0
}
