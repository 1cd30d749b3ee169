import { dirname, relative, resolve } from 'node:path'
import { type FileSystem, removeEmptyFolders, stateFolder } from './state-folder.ts'

/** One file of a journal: where it is, its new text and its old one in the staging folder. */
export interface JournalEntry {
  readonly path: string
  readonly next?: string | undefined
  readonly previous?: string | undefined
}

/** What an interrupted run was about to do; enough to undo it. */
export interface Journal {
  readonly folders: readonly string[]
  readonly entries: readonly JournalEntry[]
}

/**
 * Writes the journal in one step.
 *
 * @param fs the file system
 * @param root the project's folder
 * @param journal what is about to be done
 */
export function writeJournal(fs: FileSystem, root: string, journal: Journal): void {
  const state = stateFolder(root)
  const draft = `${state.staging}/journal.json`
  const relativeTo = (path: string): string => relative(root, path)
  const stored: Journal = {
    folders: journal.folders.map(relativeTo),
    entries: journal.entries.map((entry) => ({ ...entry, path: relativeTo(entry.path) })),
  }
  fs.writeFileSync(draft, JSON.stringify(stored))
  fs.renameSync(draft, state.journal)
}

/**
 * Undoes what an interrupted run left half done, if there is any.
 *
 * @param fs the file system
 * @param root the project's folder
 * @returns true when something was undone
 */
export function recover(fs: FileSystem, root: string): boolean {
  const state = stateFolder(root)
  const interrupted = fs.existsSync(state.journal)
  if (interrupted) {
    undo(fs, root, parseJournal(fs.readFileSync(state.journal, 'utf8')))
    fs.unlinkSync(state.journal)
  }
  if (fs.existsSync(state.staging)) fs.rmSync(state.staging, { recursive: true, force: true })
  return interrupted
}

/**
 * Puts every file of a journal back as it was. Doing it twice does no harm.
 *
 * @param fs the file system
 * @param root the project's folder
 * @param journal what was begun, with paths relative to the root or absolute
 */
export function undo(fs: FileSystem, root: string, journal: Journal): void {
  const { staging } = stateFolder(root)
  for (const entry of journal.entries.toReversed()) {
    const target = resolve(root, entry.path)
    if (entry.previous === undefined) {
      fs.rmSync(target, { force: true })
      continue
    }
    const previous = `${staging}/${entry.previous}`
    const { mode } = fs.statSync(previous)
    const draft = `${previous}.undo`
    fs.writeFileSync(draft, fs.readFileSync(previous))
    fs.chmodSync(draft, mode)
    fs.mkdirSync(dirname(target), { recursive: true })
    fs.renameSync(draft, target)
  }
  removeEmptyFolders(
    fs,
    journal.folders.map((folder) => resolve(root, folder)),
  )
}

function parseJournal(text: string): Journal {
  // Ours, and written in one step: its shape is known.
  const journal: Journal = JSON.parse(text)
  return journal
}
