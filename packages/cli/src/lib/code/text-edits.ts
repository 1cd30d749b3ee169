export interface Range {
  readonly start: number
  readonly end: number
}

export interface Edit extends Range {
  readonly text: string
}

interface Placed {
  readonly start?: number | null
  readonly end?: number | null
}

// The place of a syntax node in its source.
export function rangeOf({ end, start }: Placed): Range {
  return { start: start ?? 0, end: end ?? 0 }
}

export function textOf(source: string, node: Placed): string {
  const { end, start } = rangeOf(node)
  return source.slice(start, end)
}

export function applyEdits(source: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), source)
}
