/**
 * Compares two keys of the tree, or any text, by their UTF-16 code units.
 * @param a - The first text.
 * @param b - The second text.
 * @returns Below, equal to or above 0.
 */
export function compareText(a: string, b: string): number {
  if (a < b) return -1
  return a > b ? 1 : 0
}
