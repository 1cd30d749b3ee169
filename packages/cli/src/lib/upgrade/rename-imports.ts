import type { ImportDeclaration, ImportSpecifier } from '@babel/types'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { nameOf } from '../code/bound-names.ts'
import { importStatement } from '../code/import-statement.ts'
import { quoted } from '../code/literals.ts'
import { parseCode } from '../code/parse-code.ts'
import { applyEdits, rangeOf, textOf } from '../code/text-edits.ts'
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
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  try {
    const { comments, program } = await parseCode(text)
    const edits = program.body.flatMap((statement) => {
      const lines = statement.type === 'ImportDeclaration' ? split(text, statement, moved) : []
      if (lines.length === 0) return []
      const { end, start } = rangeOf(statement)
      const inside = (comments ?? []).filter((one) => {
        const comment = rangeOf(one)
        return comment.start > start && comment.end < end
      })
      // They precede the import then.
      const kept = inside.map((comment) => textOf(text, comment))
      return [{ start, end, text: [...kept, ...lines].join('\n').replaceAll(/\r?\n/g, eol) }]
    })
    return applyEdits(text, edits)
  } catch {
    return text
  }
}

// The imports that take the place of one; none if it stays.
function split(
  text: string,
  statement: ImportDeclaration,
  moved: readonly MovedNames[],
): readonly string[] {
  const { source } = statement
  const specifiers = statement.specifiers.filter((one) => one.type === 'ImportSpecifier')
  if (specifiers.length !== statement.specifiers.length) return []
  const targets = specifiers.map((specifier) => {
    const name = nameOf(specifier.imported)
    const move = moved.find(
      ({ from, names }) =>
        from === source.value && names.some((entry) => entry.split('=')[0] === name),
    )
    const renamed = move?.names.find((entry) => entry.startsWith(`${name}=`))?.split('=')[1]
    return {
      module: move?.to ?? source.value,
      text: renamed === undefined ? textOf(text, specifier) : rename(specifier, renamed),
    }
  })
  const modules = [...new Set(targets.map(({ module }) => module))]
  if (modules.every((module) => module === source.value)) return []
  const quote = textOf(text, source).startsWith('"') ? '"' : "'"
  const tail = text.slice(rangeOf(source).end, rangeOf(statement).end)
  const keyword = statement.importKind === 'type' ? 'type ' : ''
  return modules.toSorted().map((module) => {
    const names = targets.filter((target) => target.module === module).map((target) => target.text)
    const flat = importStatement(`${keyword}{ ${names.join(', ')} }`, module, quote) + tail
    if (flat.length <= 100) return flat
    return flat.replace('{ ', '{\n  ').replaceAll(', ', ',\n  ').replace(' } from', ',\n} from')
  })
}

// The file keeps using its own name.
function rename(specifier: ImportSpecifier, name: string): string {
  const type = specifier.importKind === 'type' ? 'type ' : ''
  return `${type}${name} as ${specifier.local.name}`
}
