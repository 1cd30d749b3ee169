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

// Text that is added where another text is removed comes before what follows that one.
export function applyEdits(source: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.start - a.start || b.end - a.end)
    .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), source)
}

// A statement with its lines, when nothing else is on them.
export function wholeLines(source: string, { start, end }: Range): Range {
  const lineStart = startOfLine(source, start)
  const rest = /^[^\S\n]*(\n|$)/.exec(source.slice(end))?.[0]
  if (source.slice(lineStart, start).trim() !== '' || rest === undefined) return { start, end }
  return { start: lineStart, end: end + rest.length }
}

export function startOfLine(source: string, index: number): number {
  const start = source.lastIndexOf('\n', index - 1) + 1
  return start === 0 && source.startsWith('\uFEFF') ? 1 : start
}
