import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import path from 'node:path'
import { type Figure } from './scenario.ts'

/** A run whose figures are kept. */
export interface Run {
  /** What was run, as one would type it. */
  readonly command: string
  /** What else there is to know, such as the load. */
  readonly conditions: string
  /** Figures by the title of what they tell of. */
  readonly figures: ReadonlyMap<string, readonly Figure[]>
}

/**
 * Keeps the figures of a whole run, as `benchmarks/results/<name>.md`.
 * @param name - of the file
 * @param run - what was run, and what came out
 */
export function keepRecord(name: string, { command, conditions, figures }: Run): void {
  const machine = `${availableParallelism()} × ${cpus()[0]?.model}`
  const lines = [
    `# \`${command}\``,
    '',
    `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${machine}, ${conditions}.`,
    'Clients, service and database share the machine: absolute times are those of a busy one.',
  ]
  for (const [title, found] of figures) {
    lines.push('', `## ${title}`, '', '| Figure | Found | Criterion | |', '| - | - | - | - |')
    for (const { what, found: value, criterion, passed } of found) {
      lines.push(`| ${what} | ${value} | ${criterion} | ${passed ? 'ok' : '**FAIL**'} |`)
    }
  }
  const folder = path.resolve(import.meta.dirname, '../../../../benchmarks/results')
  writeFileSync(path.join(folder, `${name}.md`), `${lines.join('\n')}\n`)
}
