const gap = 2

// Leaves out the last columns when they do not fit into the width.
export function printTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  width = Infinity,
): readonly string[] {
  const all = [heading, ...rows]
  const widths = heading.map((_, column) =>
    Math.max(...all.map((row) => (row[column] ?? '').length)),
  )
  const ends = widths.map((_, column) =>
    widths.slice(0, column + 1).reduce((end, cell) => end + gap + cell),
  )
  const fitting = ends.filter((end) => end <= width).length
  return all.map((row) =>
    row
      .slice(0, fitting)
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(' '.repeat(gap))
      .trimEnd(),
  )
}
