import { closestName } from '@create-api/core/internal/closest-name'

export function suggestName(input: string, known: readonly string[]): string {
  const near = closestName(input, known)
  return near === undefined ? `choose one of ${known.join(', ')}` : `did you mean "${near}"?`
}
