import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { templatesRoot } from '@create-api/templates'
import { type Project } from '../project/open-project.ts'
import { findScript } from './find-script.ts'
import { readText } from './plan.ts'

/** Formats one text as the project would. */
export type Format = (path: string, text: string) => Promise<string>

interface Formatter {
  readonly package: string
  readonly bin: string
  readonly args: (path: string) => readonly string[]
}

const formatters: Readonly<Record<string, Formatter>> = {
  oxfmt: { package: 'oxfmt', bin: 'oxfmt', args: (path) => [`--stdin-filepath=${path}`] },
  biome: {
    package: '@biomejs/biome',
    bin: 'biome',
    args: (path) => ['format', `--stdin-file-path=${path}`],
  },
  prettier: { package: 'prettier', bin: 'prettier', args: (path) => ['--stdin-filepath', path] },
}

/**
 * Finds the project's formatter.
 *
 * @param project the project
 * @returns a function that formats a text over the formatter's standard input, or `undefined` when
 * the project has none installed
 */
export function findFormatter(project: Project): Format | undefined {
  const formatter = chooseFormatter(project)
  const script = formatter === undefined ? undefined : findScript(project.root, formatter)
  if (formatter === undefined || script === undefined) return undefined
  return (path, text) => run(project.root, [script, ...formatter.args(path)], text)
}

/**
 * Tells whether the built-in templates already are what the project's formatter would write.
 *
 * @param project the project
 * @returns true while the project keeps the formatter settings it was made with
 */
export function isTemplateStyle(project: Project): boolean {
  const formatter = chooseFormatter(project)
  if (formatter?.package !== 'oxfmt') return formatter === undefined
  const own = readText(join(project.root, '.oxfmtrc.json'))
  return own === readText(join(templatesRoot, 'project', '.oxfmtrc.json'))
}

function chooseFormatter({ config, dependencies }: Project): Formatter | undefined {
  if (config.format !== 'auto') return formatters[config.format]
  return Object.values(formatters).find((formatter) => formatter.package in dependencies)
}

// A formatter that fails leaves the text as it is: an ugly file is better than none.
function run(cwd: string, args: readonly string[], text: string): Promise<string> {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { cwd, stdio: ['pipe', 'pipe', 'ignore'] })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', () => done(text))
    child.on('close', (code) => {
      const output = Buffer.concat(chunks).toString('utf8')
      done(code === 0 && output !== '' ? output : text)
    })
    // It may exit before it has read everything; its exit code says so.
    child.stdin.on('error', () => undefined)
    child.stdin.end(text)
  })
}
