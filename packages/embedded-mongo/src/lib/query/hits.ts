// The matcher runs to its end before another one starts, so the place of the first array element
// that matched is kept here instead of being handed through every predicate.
let hit = -1

/**
 * Runs a predicate and finds the array element that made it true.
 * @param predicate - Runs the match.
 * @returns Undefined when there is no match, else the element's index, −1 without an array.
 */
export function findHit(predicate: () => boolean): number | undefined {
  hit = -1
  return predicate() ? hit : undefined
}

/**
 * Runs a match on one element of an array; the outermost array and the first hit count.
 * @param index - The element's place.
 * @param matches - Whether the element matches.
 * @returns What `matches` says.
 */
export function matchElement(index: number, matches: () => boolean): boolean {
  const before = hit
  const result = matches()
  hit = result && before === -1 ? index : before
  return result
}

/**
 * Notes that an array element matched.
 * @param index - The element's place.
 */
export function noteHit(index: number): void {
  if (hit === -1) hit = index
}

/**
 * Runs a match whose hits do not count, unless it succeeds and is not negated.
 * @param negated - Whether success means that the document does not match.
 * @param matches - The match.
 * @returns What `matches` says.
 */
export function matchGroup(negated: boolean, matches: () => boolean): boolean {
  const before = hit
  const result = matches()
  if (negated || !result) hit = before
  return result
}
