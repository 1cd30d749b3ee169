// What a rule refuses to a caller whose last proof of identity is too old, or lacks a second factor.
export class StaleProof {
  /** In milliseconds; Infinity where a second factor is missing. */
  readonly maxAge: number

  constructor(maxAge: number) {
    this.maxAge = maxAge
  }
}

// The strictest one.
export function findStale(rulings: readonly unknown[]): StaleProof | undefined {
  return rulings
    .filter((ruling) => ruling instanceof StaleProof)
    .toSorted((one, other) => one.maxAge - other.maxAge)[0]
}
