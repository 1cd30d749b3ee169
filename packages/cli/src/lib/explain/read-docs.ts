import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { docsRoot } from '../package/own-package.ts'

/** Cells in Markdown, by the heading of their column. */
export type Row = ReadonlyMap<string, string>

// The rows of the first table of each section, or of the section with a title.
export function readRows(page: string, title?: string): readonly Row[] {
  const sections = readFileSync(join(docsRoot, page), 'utf8').split(/^#+ /m)
  return sections.flatMap((section) => {
    const [heading = ''] = section.split('\n', 1)
    if (title !== undefined && toText(heading).toLowerCase() !== title.toLowerCase()) return []
    const [table = ''] = /^\|.*(?:\n\|.*)*/m.exec(section) ?? []
    const [columns = [], , ...rows] = table.split('\n').map(toCells)
    return rows.map((cells) => new Map(columns.map((name, index) => [name, cells[index] ?? ''])))
  })
}

// A bar in a cell is written \|.
function toCells(line: string): readonly string[] {
  const cells = line.split(/(?<!\\)\|/).slice(1, -1)
  return cells.map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'))
}

// Markdown as plain text, without links and code spans.
export function toText(markdown = ''): string {
  return markdown.replaceAll(/\[([^\]]+)\]\([^)\s]+\)/g, '$1').replaceAll('`', '')
}
