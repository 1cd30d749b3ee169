import { closestName } from '@create-api/core/internal/closest-name'

export function toHint(input: string, known: readonly string[]): string {
  const near = closestName(input, known)
  return near === undefined ? `there are: ${known.join(' ')}` : `did you mean "${near}"?`
}
