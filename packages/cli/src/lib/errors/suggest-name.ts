import { closestName } from '@create-api/core/internal/closest-name'

// A hint with the nearest of the known names; undefined if none is near.
export function didYouMean(input: string, known: readonly string[]): string | undefined {
  const near = closestName(input, known)
  return near === undefined ? undefined : `did you mean "${near}"?`
}

export function suggestName(input: string, known: readonly string[]): string {
  return didYouMean(input, known) ?? `choose one of ${known.join(', ')}`
}
