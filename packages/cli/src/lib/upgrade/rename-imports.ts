import type { ImportDeclaration, ImportSpecifier } from '@babel/types'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { importStatement } from '../code/import-statement.ts'
import { type Quote, quoted } from '../code/literals.ts'
import { parseCode } from '../code/parse-code.ts'
import { type WantedFile } from '../files/change.ts'
import { readText } from '../files/plan.ts'
import { type MovedNames, releases } from './releases.ts'
import { updateCalls } from './update-calls.ts'
import { type UpgradedFile } from './upgrade-entry.ts'

export interface RenamedImports {
  /** All files, those that other parts of the upgrade write included. */
  readonly files: readonly WantedFile[]
  /** Files that only their imports changed in. */
  readonly upgraded: readonly UpgradedFile[]
}

// Changes the imports in the files of the project and in those that the upgrade writes.
export async function planRenamedImports(
  root: string,
  present: readonly string[],
  written: readonly WantedFile[],
): Promise<RenamedImports> {
  const moved = releases.flatMap((release) => release.moved)
  const files = await Promise.all(
    written.map(async (file) =>
      file.kind !== 'delete' && isCode(file.path)
        ? { ...file, text: await updateCode(file.text, moved) }
        : file,
    ),
  )
  const paths = new Set(written.map(({ path }) => path))
  const others = await Promise.all(
    present
      .filter((path) => isCode(path) && !paths.has(path))
      .map((path) => planFile(root, path, moved)),
  )
  const changed = others.flatMap((file) => file ?? [])
  return {
    files: [...files, ...changed],
    upgraded: changed.map(({ path }) => ({
      action: 'merge',
      path,
      detail: 'imports and calls',
      conflicts: 0,
    })),
  }
}

async function planFile(
  root: string,
  path: string,
  moved: readonly MovedNames[],
): Promise<WantedFile | undefined> {
  // Links lead to files that are present too, or to those of others.
  const isFile = lstatSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true
  const before = isFile ? readText(join(root, path)) : undefined
  if (before === undefined) return undefined
  const text = await updateCode(before, moved)
  return text === before ? undefined : { kind: 'edit', path, before, text }
}

async function updateCode(text: string, moved: readonly MovedNames[]): Promise<string> {
  return updateCalls(await renameImports(text, moved))
}

function isCode(path: string): boolean {
  return /\.[cm]?[jt]s$/.test(path)
}

// Text that does not parse, such as one with conflicts, stays as it is.
export async function renameImports(text: string, moved: readonly MovedNames[]): Promise<string> {
  const literals = moved.flatMap(({ from }) => [quoted(from), quoted(from, '"')])
  if (!literals.some((literal) => text.includes(literal))) return text
  try {
    const { comments, program } = await parseCode(text)
    return program.body
      .flatMap((statement) => (statement.type === 'ImportDeclaration' ? [statement] : []))
      .toReversed()
      .reduce((current, statement) => {
        const inside = (comments ?? []).filter((comment) => isInside(comment, statement))
        const kept = inside.map((comment) => `${slice(text, comment)}\n`)
        return splitImport(current, statement, { moved, head: kept.join('') })
      }, text)
  } catch {
    return text
  }
}

interface Span {
  readonly start?: number | null
  readonly end?: number | null
}

function isInside(inner: Span, outer: Span): boolean {
  return (inner.start ?? 0) > (outer.start ?? 0) && (inner.end ?? 0) < (outer.end ?? 0)
}

interface Split {
  readonly moved: readonly MovedNames[]
  /** Comments of the import, which precede it then. */
  readonly head: string
}

function splitImport(text: string, statement: ImportDeclaration, { head, moved }: Split): string {
  const specifiers = statement.specifiers.flatMap((specifier) =>
    specifier.type === 'ImportSpecifier' ? [specifier] : [],
  )
  if (specifiers.length !== statement.specifiers.length || specifiers.length === 0) return text
  const targets = specifiers.map((specifier) => {
    const name = importedName(specifier)
    const move = moved.find(
      ({ from, names }) =>
        from === statement.source.value && names.some((entry) => entry.split('=')[0] === name),
    )
    const renamed = move?.names.find((entry) => entry.startsWith(`${name}=`))?.split('=')[1]
    return {
      module: move?.to ?? statement.source.value,
      text: renamed === undefined ? slice(text, specifier) : rename(specifier, renamed),
    }
  })
  const modules = [...new Set(targets.map(({ module }) => module))]
  if (modules.length === 1 && modules[0] === statement.source.value) return text
  const quote = toQuote(slice(text, statement.source))
  const tail = text.slice(statement.source.end ?? 0, statement.end ?? 0)
  const keyword = statement.importKind === 'type' ? 'type ' : ''
  const lines = modules.toSorted().map((module) => {
    const names = targets.filter((target) => target.module === module).map((target) => target.text)
    const flat = importStatement(`${keyword}{ ${names.join(', ')} }`, module, quote) + tail
    if (flat.length <= 100) return flat
    return flat.replace('{ ', '{\n  ').replaceAll(', ', ',\n  ').replace(' } from', ',\n} from')
  })
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const replaced = (head + lines.join('\n')).replaceAll(/\r?\n/g, eol)
  return text.slice(0, statement.start ?? 0) + replaced + text.slice(statement.end ?? 0)
}

function toQuote(literal: string): Quote {
  return literal.startsWith('"') ? '"' : "'"
}

function importedName({ imported }: ImportSpecifier): string {
  return imported.type === 'Identifier' ? imported.name : imported.value
}

// The file keeps using its own name.
function rename(specifier: ImportSpecifier, name: string): string {
  const type = specifier.importKind === 'type' ? 'type ' : ''
  return `${type}${name} as ${specifier.local.name}`
}

function slice(text: string, { end, start }: Span): string {
  return text.slice(start ?? 0, end ?? 0)
}
