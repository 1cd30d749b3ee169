import { isUtf8 } from 'node:buffer'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { type WantedFile } from '../files/change.ts'
import { CliError } from '../errors/cli-error.ts'
import { hashText } from '../files/hash-text.ts'
import { type Project } from '../project/open-project.ts'
import { findForeignFormatter } from '../resource/project-formatter.ts'
import { type BaseFile, type Entry } from './list-entries.ts'
import { mergeFile } from './merge-file.ts'
import { type MergeOptions, type Versions } from './merge-text.ts'

export interface PlacedEntry extends Entry {
  /** Where the user's file is; undefined if there is none. */
  readonly place?: string | undefined
  /** The generated file that it is a symbolic link to. */
  readonly link?: string | undefined
}

export type UpgradeAction =
  | 'create'
  | 'replace'
  | 'merge'
  | 'conflict'
  | 'rename'
  | 'delete'
  | 'keep'
  | 'unchanged'

export interface UpgradedFile {
  readonly action: UpgradeAction
  readonly path: string
  readonly detail?: string | undefined
  /** Conflicts that are marked in it. */
  readonly conflicts: number
}

export interface EntryResult {
  readonly upgraded: UpgradedFile
  readonly files: readonly WantedFile[]
}

export async function upgradeEntry(
  project: Project,
  { base, link, place, theirs }: PlacedEntry,
  merge: MergeOptions,
): Promise<EntryResult> {
  if (place === undefined) return upgradeAbsent({ base, theirs })
  if (link !== undefined) return result('keep', place, { detail: `a link to ${link}` })
  const ours = readOwn(project.root, place)
  if (ours === undefined) return result('keep', place, { detail: 'not UTF-8 text in this project' })
  const text = findBase(base, ours)
  const unedited = text !== undefined && hashText(ours) === hashText(text)
  if (theirs === undefined) return upgradeDropped(place, unedited)
  const versions = { base: text ?? '', ours, theirs: theirs.text }
  if (text !== theirs.text) requireResolved(place, ours)
  const laidOut = { ...versions, base: await layOut(project, place, versions) }
  const { conflicts, text: merged } = await mergeFile(theirs.path, laidOut, merge)
  const target = place === base?.path ? theirs.path : place
  const files = toEdits(project.root, { place, target, ours, text: merged })
  const moves = target !== place
  const detail = moves ? `from ${place}` : undefined
  const action = nameAction({ conflicts, files, moves, unedited })
  return result(action, target, { detail, files, conflicts })
}

// A file whose hash was recorded is its own base.
function findBase(base: BaseFile | undefined, ours: string): string | undefined {
  return hashText(ours) === base?.hash ? toPlain(ours) : base?.text
}

interface Effect {
  readonly conflicts: number
  readonly files: readonly WantedFile[]
  readonly moves: boolean
  readonly unedited: boolean
}

function nameAction({ conflicts, files, moves, unedited }: Effect): UpgradeAction {
  if (conflicts > 0) return 'conflict'
  if (files.length === 0) return 'unchanged'
  if (moves) return 'rename'
  return unedited ? 'replace' : 'merge'
}

// Marks inside of marks would be ambiguous. A killed run may have left them too.
function requireResolved(path: string, ours: string): void {
  if (!/^<<<<<<< yours\r?$/m.test(ours) || !/^>>>>>>> create-api /m.test(ours)) return
  throw new CliError(
    'CONFLICT',
    `${path} has conflicts of an earlier upgrade; nothing was written`,
    {
      hint: 'resolve and commit them, or undo that upgrade: git restore .',
      files: [path],
    },
  )
}

function upgradeDropped(path: string, unedited: boolean): EntryResult {
  return unedited
    ? result('delete', path, { files: [{ kind: 'delete', path }] })
    : result('keep', path, { detail: 'edited, and no longer generated' })
}

// A file that the user has deleted stays deleted.
function upgradeAbsent({ base, theirs }: Entry): EntryResult {
  if (base !== undefined || theirs === undefined) return result('unchanged', base?.path ?? '')
  const { path, text } = theirs
  return result('create', path, { files: [{ kind: 'write', path, text }] })
}

// Where the formatter of the project has other settings than before, a file that has its layout is
// compared with the base in that layout.
async function layOut(
  project: Project,
  path: string,
  { base, ours, theirs }: Versions,
): Promise<string> {
  if (!/\.m?[jt]s$/.test(path) || base === ours || base === theirs) return base
  const format = findForeignFormatter(project)
  if (format === undefined || (await format(path, ours)) !== ours) return base
  return toPlain((await format(path, base)) ?? base)
}

interface Details {
  readonly detail?: string | undefined
  readonly files?: readonly WantedFile[]
  readonly conflicts?: number
}

function result(
  action: UpgradeAction,
  path: string,
  { conflicts = 0, detail, files = [] }: Details = {},
): EntryResult {
  return { upgraded: { action, path, detail, conflicts }, files }
}

interface TextEdit {
  readonly place: string
  readonly target: string
  readonly ours: string
  readonly text: string
}

function toEdits(root: string, { ours, place, target, text }: TextEdit): readonly WantedFile[] {
  if (place === target) {
    return text === ours ? [] : [{ kind: 'edit', path: target, before: ours, text }]
  }
  const mode = statSync(join(root, place)).mode & 0o777
  return [
    { kind: 'edit', path: target, before: undefined, text, mode },
    { kind: 'delete', path: place },
  ]
}

function toPlain(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

// Undefined for what a merge would damage, and for what is outside the project.
function readOwn(root: string, path: string): string | undefined {
  const file = join(root, path)
  try {
    if (!realpathSync(file).startsWith(realpathSync(root) + sep)) return undefined
    const bytes = readFileSync(file)
    return isUtf8(bytes) ? bytes.toString('utf8') : undefined
  } catch {
    return undefined
  }
}
