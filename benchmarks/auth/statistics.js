// @ts-check

/**
 * The chance that one of the second list is longer than one of the first (Mann–Whitney): 0.5 where
 * nothing tells them apart.
 * @param {number[]} first
 * @param {number[]} second
 */
export function mannWhitney(first, second) {
  let wins = 0
  for (const a of first) for (const b of second) wins += b > a ? 1 : b === a ? 0.5 : 0
  return wins / (first.length * second.length)
}

/** @param {number[]} times */
export function median(times) {
  return quantile(times, 0.5)
}

/** @param {number[]} times @param {number} share */
export function quantile(times, share) {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
