import { diffLines, structuredPatch } from 'diff'

export interface LineCounts {
  readonly added: number
  readonly removed: number
}

export function countDifferences(before: string, after: string): LineCounts {
  const parts = diffLines(withFinalNewline(before), withFinalNewline(after))
  const count = (kind: 'added' | 'removed'): number =>
    parts.reduce((sum, part) => sum + (part[kind] ? part.count : 0), 0)
  return { added: count('added'), removed: count('removed') }
}

// The lines of a unified diff with three lines of context; none when the texts are equal.
export function formatDiff(path: string, before: string, after: string): readonly string[] {
  const { hunks } = structuredPatch(
    path,
    path,
    withFinalNewline(before),
    withFinalNewline(after),
    '',
    '',
    { context: 3 },
  )
  if (hunks.length === 0) return []
  const lines = hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines,
  ])
  return [`--- a/${path}`, `+++ b/${path}`, ...lines]
}

// A missing newline at the end is not a difference.
function withFinalNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
