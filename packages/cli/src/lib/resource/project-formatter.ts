import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { templatesRoot } from '@create-api/templates'
import { readText } from '../files/plan.ts'
import { type Project } from '../project/open-project.ts'

// Undefined when the text cannot be formatted.
export type Format = (path: string, text: string) => Promise<string | undefined>

interface Formatter {
  readonly package: string
  readonly bin: string
  readonly args: (path: string) => readonly string[]
}

const formatters: ReadonlyMap<string, Formatter> = new Map(
  Object.entries<Formatter>({
    oxfmt: { package: 'oxfmt', bin: 'oxfmt', args: (path) => [`--stdin-filepath=${path}`] },
    biome: {
      package: '@biomejs/biome',
      bin: 'biome',
      args: (path) => ['format', `--stdin-file-path=${path}`],
    },
    prettier: { package: 'prettier', bin: 'prettier', args: (path) => ['--stdin-filepath', path] },
  }),
)

// Formats with the project's formatter. A project with the settings of the template, or without a
// formatter, gets the built-in one, whose result is the same and which needs no other process.
export function chooseFormat(project: Project, find = findForeignFormatter): Format {
  const format = find(project) ?? formatBuiltIn
  return async (path, text) => (await format(path, text)) ?? formatBuiltIn(path, text)
}

export async function formatBuiltIn(path: string, text: string): Promise<string | undefined> {
  const { formatCode } = await import('../code/prettier.ts')
  try {
    return await formatCode(text, /\.m?js$/.test(path) ? 'babel' : 'babel-ts')
  } catch {
    return undefined
  }
}

// The project's formatter, unless its settings are those of the template.
export function findForeignFormatter(project: Project): Format | undefined {
  const formatter = chooseFormatter(project)
  if (formatter === undefined || hasTemplateStyle(project, formatter)) return undefined
  return findFormatter(project)
}

// The project's formatter, which differs from the built-in one in long unions.
export function findFormatter(project: Project): Format | undefined {
  const formatter = chooseFormatter(project)
  if (formatter === undefined) return undefined
  const script = findScript(project.root, formatter)
  if (script === undefined) return undefined
  return (path, text) => run(project.root, [script, ...formatter.args(path)], text)
}

function chooseFormatter({ config, dependencies }: Project): Formatter | undefined {
  if (config.format !== 'auto') return formatters.get(config.format)
  return [...formatters.values()].find((formatter) =>
    Object.hasOwn(dependencies, formatter.package),
  )
}

function hasTemplateStyle({ root }: Project, formatter: Formatter): boolean {
  if (formatter !== formatters.get('oxfmt')) return false
  const settings = readText(join(root, '.oxfmtrc.json'))
  return settings === readText(join(templatesRoot, 'project', '.oxfmtrc.json'))
}

function findScript(from: string, formatter: Formatter): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const manifest = join(folder, 'node_modules', formatter.package, 'package.json')
    if (existsSync(manifest)) return readBin(manifest, formatter.bin)
    if (dirname(folder) === folder) return undefined
  }
}

function readBin(manifest: string, name: string): string | undefined {
  const { bin }: { bin?: string | Record<string, string> } = JSON.parse(readText(manifest) ?? '{}')
  const path = typeof bin === 'string' ? bin : bin?.[name]
  return path === undefined ? undefined : resolve(dirname(manifest), path)
}

function run(cwd: string, args: readonly string[], text: string): Promise<string | undefined> {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { cwd, stdio: ['pipe', 'pipe', 'ignore'] })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', () => done(undefined))
    child.on('close', (code) => {
      const output = Buffer.concat(chunks).toString('utf8')
      done(code === 0 && output !== '' ? output : undefined)
    })
    // It may exit before it has read everything; its exit code says so.
    child.stdin.on('error', () => undefined)
    child.stdin.end(text)
  })
}
