import { importStatement } from '../code/import-statement.ts'
import { quoted } from '../code/literals.ts'
import { applyEdits, type Edit, type Range, startOfLine, wholeLines } from '../code/text-edits.ts'
import {
  type MarkerPair,
  parseSource,
  readRegistry,
  type Registry,
  type RegistryImport,
  RegistryProblem,
} from './read-registry.ts'

export interface Mount {
  /** Exported name of the router. */
  readonly router: string
  /** Module the router comes from, as the registry imports it. */
  readonly specifier: string
  /** Path prefix. */
  readonly path: string
}

export interface RegistryEdit {
  /** The text after the edit; the same text when nothing had to change. */
  readonly source: string
  /** Number of imports added or removed. */
  readonly imports: number
  /** Number of mounts added or removed. */
  readonly mounts: number
}

export async function addMount(source: string, mount: Mount): Promise<RegistryEdit> {
  const before = await readRegistry(source)
  const imported = findImport(before, mount)
  const local = imported?.names.get(mount.router)?.local ?? mount.router
  const mounted = before.mounts.some(({ router }) => router === local)
  const edits: Edit[] = []
  if (imported === undefined) {
    if (before.bound.has(mount.router)) {
      throw new RegistryProblem(
        `already uses the name "${mount.router}" for something else`,
        'give that another name',
      )
    }
    edits.push(lineAbove(source, before.markers.imports, importLine(before, mount)))
  }
  if (!mounted) {
    const line = mountLine(before, { ...mount, router: local })
    edits.push(lineAbove(source, before.markers.mounts, line))
  }
  return {
    source: await edited(source, edits),
    imports: imported === undefined ? 1 : 0,
    mounts: mounted ? 0 : 1,
  }
}

export async function removeMount(source: string, mount: Mount): Promise<RegistryEdit> {
  const before = await readRegistry(source)
  const imported = findImport(before, mount)
  const local = imported?.names.get(mount.router)?.local ?? mount.router
  const mounts = before.mounts.filter(({ router }) => router === local)
  const edits: Edit[] = mounts.map((range) => ({ ...wholeLines(source, range), text: '' }))
  if (imported !== undefined) {
    edits.push({ ...importRange(source, imported, mount.router), text: '' })
  }
  return {
    source: await edited(source, edits),
    imports: imported === undefined ? 0 : 1,
    mounts: mounts.length,
  }
}

// `+1 import, +1 mount`, for lists of files.
export function describeEdit({ imports, mounts }: RegistryEdit, sign: '+' | '−'): string {
  const parts = [imports > 0 ? `${sign}1 import` : '', mounts > 0 ? `${sign}1 mount` : '']
  return parts.filter((part) => part !== '').join(', ')
}

export function formatRegistryLines(mount: Mount): readonly [string, string] {
  return [
    importStatement(`{ ${mount.router} }`, mount.specifier),
    `routes.use(${quoted(mount.path)}, ${mount.router})`,
  ]
}

function findImport(registry: Registry, mount: Mount): RegistryImport | undefined {
  return registry.imports.find(
    ({ specifier, names }) =>
      names.has(mount.router) && withoutExtension(specifier) === withoutExtension(mount.specifier),
  )
}

function withoutExtension(specifier: string): string {
  return specifier.replace(/\.[cm]?[jt]s$/, '')
}

function importLine(registry: Registry, mount: Mount): string {
  const { quote, semicolon } = registry
  return importStatement(`{ ${mount.router} }`, mount.specifier, quote) + semicolon
}

function mountLine(registry: Registry, mount: Mount): string {
  const { quote, receiver, source, markers } = registry
  const semicolon = registry.semicolon || hazard(source, markers.mounts.closing.end)
  const path = quoted(mount.path, quote)
  const line = `${receiver}.use(${path}, ${mount.router})${semicolon}`
  // A formatter breaks lines at this width in a new project.
  if (line.length <= 100) return line
  return [`${receiver}.use(`, `  ${path},`, `  ${mount.router},`, `)${semicolon}`].join('\n')
}

// Without a semicolon, `(` or `[` at the start of the next statement would continue ours.
function hazard(source: string, from: number): '' | ';' {
  const next = source
    .slice(from)
    .replace(/^[^\n]*\n?/, '')
    .replace(/^(\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*/, '')
  return /^[([`+\-/*.,]/.test(next) ? ';' : ''
}

function lineAbove(source: string, { closing }: MarkerPair, text: string): Edit {
  const eol = source.includes('\r\n') ? '\r\n' : '\n'
  const lineStart = startOfLine(source, closing.start)
  const indent = source.slice(lineStart, closing.start)
  // A marker after code on the same line gets the new text on separate lines.
  if (indent.trim() !== '') {
    const lines = eol + text.replaceAll('\n', eol) + eol
    return { start: closing.start, end: closing.start, text: lines }
  }
  const lines = text.split('\n').map((line) => indent + line + eol)
  return { start: lineStart, end: lineStart, text: lines.join('') }
}

function importRange(source: string, found: RegistryImport, name: string): Range {
  const clause = found.names.get(name)
  if (clause === undefined || found.size === 1) return wholeLines(source, found)
  const after = /^\s*,\s*/.exec(source.slice(clause.end))?.[0]
  if (after !== undefined) return { start: clause.start, end: clause.end + after.length }
  const before = /,\s*$/.exec(source.slice(0, clause.start))?.[0] ?? ''
  return { start: clause.start - before.length, end: clause.end }
}

async function edited(source: string, edits: readonly Edit[]): Promise<string> {
  const text = applyEdits(source, edits)
  if (text !== source) await parseSource(text)
  return text
}
