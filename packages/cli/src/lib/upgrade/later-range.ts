// The one of two ranges of versions that begins later, so that an upgrade never takes an
// application back; undefined for other values.
export function laterRange(one: unknown, other: unknown): string | undefined {
  const [a, b] = [readRange(one), readRange(other)]
  if (a === undefined || b === undefined) return undefined
  for (const [index, part] of a.parts.entries()) {
    const difference = part - (b.parts[index] ?? 0)
    if (difference !== 0) return difference > 0 ? a.text : b.text
  }
  return a.text
}

interface Range {
  readonly text: string
  readonly parts: readonly number[]
}

function readRange(text: unknown): Range | undefined {
  if (typeof text !== 'string') return undefined
  const [, ...parts] = /^[~^]?(\d+)\.(\d+)\.(\d+)$/.exec(text) ?? []
  return parts.length === 0 ? undefined : { text, parts: parts.map(Number) }
}
