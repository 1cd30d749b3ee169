import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { docsRoot } from '../package/own-package.ts'

/** The first table of a section. */
export interface Table {
  /** Heading of the section, as plain text. */
  readonly section: string
  /** Cells in Markdown, by the heading of their column. */
  readonly rows: readonly ReadonlyMap<string, string>[]
}

export function readTables(page: string): readonly Table[] {
  const sections = readFileSync(join(docsRoot, page), 'utf8').split(/^#+ /m)
  return sections.flatMap((section) => {
    const [title = '', ...lines] = section.split('\n')
    const begin = lines.findIndex((line) => line.startsWith('|'))
    if (begin === -1) return []
    const [heading = [], , ...rows] = takeTable(lines.slice(begin)).map(toCells)
    return [{ section: toText(title), rows: rows.map((cells) => toRow(heading, cells)) }]
  })
}

function takeTable(lines: readonly string[]): readonly string[] {
  const end = lines.findIndex((line) => !line.startsWith('|'))
  return end === -1 ? lines : lines.slice(0, end)
}

// A bar in a cell is written \|.
function toCells(line: string): readonly string[] {
  const cells = line.split(/(?<!\\)\|/).slice(1, -1)
  return cells.map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'))
}

function toRow(heading: readonly string[], cells: readonly string[]): Table['rows'][number] {
  return new Map(heading.map((name, index) => [name, cells[index] ?? '']))
}

// Markdown as plain text, without links and code spans.
export function toText(markdown = ''): string {
  return markdown.replaceAll(/\[([^\]]+)\]\([^)\s]+\)/g, '$1').replaceAll('`', '')
}
