import { dirname } from 'node:path'
import { CliError } from '../errors.ts'
import { type Change, isPending } from './change.ts'
import { type Journal, type JournalEntry, undo, writeJournal } from './journal.ts'
import {
  createFolder,
  type FileSystem,
  missingFolders,
  realFileSystem,
  removeEmptyFolders,
  type StateFolder,
  stateFolder,
} from './state-folder.ts'

/**
 * Writes all changes or none. Synchronous on purpose: a signal is handled before or after, never
 * in the middle; a killed process leaves a journal that the next run undoes.
 *
 * @param root the project's folder
 * @param changes a plan without conflicts
 * @param fs the file system
 * @throws CliError `WRITE_FAILED` after everything is back as it was
 */
export function applyChanges(
  root: string,
  changes: readonly Change[],
  fs: FileSystem = realFileSystem,
): void {
  const pending = changes.filter(isPending)
  if (pending.length === 0) return
  const state = stateFolder(root)
  const created: string[] = []
  let journal: Journal = { folders: [], entries: [] }
  try {
    created.push(...createFolder(fs, state.staging))
    const entries = pending.map((change, index) => stage(fs, state, { change, index }))
    const folders = unique(pending.flatMap(({ target }) => missingFolders(fs, dirname(target))))
    const planned = { folders, entries }
    writeJournal(fs, root, planned)
    journal = planned
    commit(fs, state, { pending, entries })
    removeEmptyFolders(fs, emptied(root, pending))
    fs.unlinkSync(state.journal)
  } catch (error) {
    rollBack(fs, root, { journal, created })
    throw toWriteError(error)
  }
  discard(fs, state)
}

interface Staged {
  readonly change: Change
  readonly index: number
}

function stage(fs: FileSystem, state: StateFolder, staged: Staged): JournalEntry {
  const { action, after, target } = staged.change
  const stats = action === 'create' ? undefined : fs.statSync(target, { throwIfNoEntry: false })
  const previous = stats === undefined ? undefined : `${staged.index}.old`
  const next = after === undefined ? undefined : `${staged.index}.new`
  if (previous !== undefined && stats !== undefined) {
    // Never with more rights than the file has, not for a moment: it may hold secrets.
    fs.writeFileSync(`${state.staging}/${previous}`, fs.readFileSync(target), { mode: stats.mode })
    fs.chmodSync(`${state.staging}/${previous}`, stats.mode)
  }
  const mode = staged.change.mode ?? stats?.mode
  if (next !== undefined) writeNext(fs, `${state.staging}/${next}`, { ...staged.change, mode })
  if (next !== undefined && mode !== undefined) fs.chmodSync(`${state.staging}/${next}`, mode)
  return { path: target, next, previous }
}

function writeNext(fs: FileSystem, path: string, { after, encoding, mode }: Change): void {
  fs.writeFileSync(path, after ?? '', {
    encoding: encoding ?? 'utf8',
    ...(mode !== undefined && { mode }),
  })
}

interface Prepared {
  readonly pending: readonly Change[]
  readonly entries: readonly JournalEntry[]
}

function commit(fs: FileSystem, state: StateFolder, { entries, pending }: Prepared): void {
  for (const { target } of pending) fs.mkdirSync(dirname(target), { recursive: true })
  for (const { path, next } of entries) {
    if (next === undefined) fs.unlinkSync(path)
    else fs.renameSync(`${state.staging}/${next}`, path)
  }
}

// The folders of a deleted file go with it when nothing else is in them.
function emptied(root: string, pending: readonly Change[]): readonly string[] {
  const folders: string[] = []
  for (const { action, path, target } of pending) {
    if (action !== 'delete') continue
    const depth = path.split('/').length - 1
    let folder = dirname(target)
    for (let level = 0; level < depth && folder !== root; level += 1) {
      folders.push(folder)
      folder = dirname(folder)
    }
  }
  return unique(folders).toSorted((a, b) => a.length - b.length)
}

interface Begun {
  readonly journal: Journal
  readonly created: readonly string[]
}

function rollBack(fs: FileSystem, root: string, { journal, created }: Begun): void {
  const state = stateFolder(root)
  undo(fs, root, journal)
  fs.rmSync(state.journal, { force: true })
  discard(fs, state)
  removeEmptyFolders(fs, created)
}

// Past the point of no return; what stays behind is removed by the next run.
function discard(fs: FileSystem, state: StateFolder): void {
  try {
    fs.rmSync(state.staging, { recursive: true, force: true })
  } catch {
    // The files are in place, which is what counts.
  }
}

function toWriteError(error: unknown): CliError {
  const reason = error instanceof Error ? error.message : String(error)
  return new CliError('WRITE_FAILED', `could not write: ${reason}`, {
    hint: 'nothing was changed',
    cause: error,
  })
}

function unique(items: readonly string[]): readonly string[] {
  return [...new Set(items)]
}
