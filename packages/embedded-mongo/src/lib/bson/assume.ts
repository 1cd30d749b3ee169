/**
 * Narrows a value whose type the caller has established in a way the compiler cannot follow, such
 * as a table looked up by BSON type number.
 * @param value - The value.
 * @returns The same value.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- this is a cast with a name
export function assume<T>(value: unknown): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place for what the compiler cannot follow
  return value as T
}
