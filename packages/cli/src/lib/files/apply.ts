import { dirname } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { type Change, isPending } from './change.ts'
import { createFolder, type FileSystem, realFileSystem, removeEmptyFolders } from './file-system.ts'

// Ending of the files that a killed run may leave.
export const draftSuffix = '.api-draft'

// Writes all changes or none: every new text is written next to its file first, then renamed, and
// a failure undoes what was done. Synchronous on purpose, so that a signal is handled before or
// after. Only a killed process can leave some of the files.
export function applyChanges(
  root: string,
  changes: readonly Change[],
  fs: FileSystem = realFileSystem,
): void {
  const pending = changes.filter(isPending)
  const undo: (() => void)[] = []
  try {
    const steps = pending.map((change) => prepare(fs, change, undo))
    for (const step of steps) step()
    removeEmptyFolders(fs, foldersOfDeleted(root, pending))
  } catch (error) {
    for (const step of undo.toReversed()) step()
    throw toWriteError(error)
  }
}

// Returns the step that puts the change in place.
function prepare(fs: FileSystem, change: Change, undo: (() => void)[]): () => void {
  const { action, after, target } = change
  const draft = target + draftSuffix
  const stats = action === 'create' ? undefined : fs.statSync(target, { throwIfNoEntry: false })
  const previous = stats === undefined ? undefined : fs.readFileSync(target)
  const restore = (): void => {
    if (previous === undefined) return fs.rmSync(target, { force: true })
    writeDraft(fs, draft, previous, stats?.mode)
    return fs.renameSync(draft, target)
  }
  if (after === undefined) {
    return () => {
      fs.unlinkSync(target)
      undo.push(() => {
        fs.mkdirSync(dirname(target), { recursive: true })
        restore()
      })
    }
  }
  const created = createFolder(fs, dirname(target))
  undo.push(() => {
    fs.rmSync(draft, { force: true })
    removeEmptyFolders(fs, created)
  })
  const bytes = Buffer.from(after, change.encoding ?? 'utf8')
  writeDraft(fs, draft, bytes, change.mode ?? stats?.mode)
  return () => {
    fs.renameSync(draft, target)
    undo.push(restore)
  }
}

// With its final mode from the start: the file may hold secrets.
function writeDraft(fs: FileSystem, path: string, bytes: Buffer, mode: number | undefined): void {
  fs.writeFileSync(path, bytes, mode === undefined ? {} : { mode })
  if (mode !== undefined) fs.chmodSync(path, mode)
}

// The folders of deleted files are removed when nothing else is in them.
function foldersOfDeleted(root: string, pending: readonly Change[]): readonly string[] {
  const folders = new Set<string>()
  for (const { action, path, target } of pending) {
    if (action !== 'delete') continue
    const depth = path.split('/').length - 1
    let folder = dirname(target)
    for (let level = 0; level < depth && folder !== root; level += 1) {
      folders.add(folder)
      folder = dirname(folder)
    }
  }
  return [...folders].toSorted((a, b) => a.length - b.length)
}

function toWriteError(cause: unknown): CliError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new CliError('WRITE_FAILED', `could not write: ${reason}`, {
    hint: 'nothing was changed',
    cause,
  })
}
