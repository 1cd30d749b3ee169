/**
 * Prints rows under a heading, the columns aligned.
 *
 * @param heading names of the columns
 * @param rows cells
 * @returns the lines
 */
export function printTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const all = [heading, ...rows]
  const widths = heading.map((_, column) =>
    Math.max(...all.map((row) => (row[column] ?? '').length)),
  )
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
