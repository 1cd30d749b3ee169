import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from '../errors.ts'
import { recover } from './journal.ts'
import { isErrno } from './plan.ts'
import {
  createFolder,
  type FileSystem,
  realFileSystem,
  removeEmptyFolders,
  type StateFolder,
  stateFolder,
} from './state-folder.ts'

// A dead run in a container may have had our process number: only these are really ours.
const held = new Set<string>()

// Longer than anyone takes between creating the lock and writing a number into it.
const birthTime = 5000

/** Options for {@link withLock}. */
export interface LockOptions {
  /**
   * How long to wait for another run, in milliseconds.
   * @default 10000
   */
  readonly patience?: number | undefined
  /**
   * File system to use.
   * @default the real one
   */
  readonly fs?: FileSystem | undefined
}

/**
 * Runs an action while no other generator works in the project, after undoing what a killed one
 * left behind.
 *
 * @param root the project's folder; created when missing, removed again when it stays empty
 * @param action what to do
 * @param options how long to wait
 * @returns what the action returns
 * @throws CliError `LOCKED` when another run does not end in time
 */
export async function withLock<Result>(
  root: string,
  action: () => Promise<Result>,
  options: LockOptions = {},
): Promise<Result> {
  const { patience = 10_000, fs = realFileSystem } = options
  const state = stateFolder(root)
  const created = createFolder(fs, state.folder)
  try {
    await acquire(fs, state, Date.now() + patience)
    // Interrupted between two files, a run leaves nothing behind.
    const leave = (): void => {
      release(fs, state)
      removeEmptyFolders(fs, [...created, state.folder])
    }
    process.once('exit', leave)
    try {
      recover(fs, root)
      return await action()
    } finally {
      process.removeListener('exit', leave)
      release(fs, state)
    }
  } finally {
    // Others may have had to make the folder again; empty it is nobody's.
    removeEmptyFolders(fs, [...created, state.folder])
  }
}

async function acquire(fs: FileSystem, state: StateFolder, deadline: number): Promise<void> {
  for (;;) {
    try {
      fs.writeFileSync(state.lock, String(process.pid), { flag: 'wx' })
      held.add(state.lock)
      return
    } catch (error) {
      // The other run was the last and took the folder away.
      if (isErrno(error, 'ENOENT')) createFolder(fs, state.folder)
      else if (!isErrno(error, 'EEXIST')) throw error
    }
    const holder = readHolder(fs, state)
    if (holder !== undefined && isAbandoned(fs, state, holder)) breakLock(fs, state, holder)
    else if (Date.now() > deadline) throw lockedError(holder)
    else await sleep(20)
  }
}

function release(fs: FileSystem, state: StateFolder): void {
  held.delete(state.lock)
  try {
    fs.rmSync(state.lock, { force: true })
  } catch {
    // The files are written, which is what counts; the next run breaks the lock of a dead one.
  }
}

function readHolder(fs: FileSystem, state: StateFolder): string | undefined {
  try {
    return fs.readFileSync(state.lock, 'utf8')
  } catch {
    return undefined
  }
}

function isAbandoned(fs: FileSystem, state: StateFolder, holder: string): boolean {
  const pid = Number(holder)
  if (!Number.isSafeInteger(pid) || pid <= 0) {
    const stats = fs.statSync(state.lock, { throwIfNoEntry: false })
    return stats !== undefined && Date.now() - stats.mtimeMs > birthTime
  }
  if (pid === process.pid) return !held.has(state.lock)
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return !isErrno(error, 'EPERM')
  }
}

// Two runs may find the same dead holder; only the one that renames its lock removes it.
function breakLock(fs: FileSystem, state: StateFolder, holder: string): void {
  const aside = `${state.lock}.${process.pid}`
  try {
    fs.renameSync(state.lock, aside)
    const taken = fs.readFileSync(aside, 'utf8')
    if (taken !== holder) fs.writeFileSync(state.lock, taken, { flag: 'wx' })
  } catch (error) {
    if (!isErrno(error, 'ENOENT') && !isErrno(error, 'EEXIST')) throw error
  } finally {
    fs.rmSync(aside, { force: true })
  }
}

function lockedError(holder: string | undefined): CliError {
  const who =
    holder === undefined || holder === '' ? 'another run' : `another run (process ${holder})`
  return new CliError('LOCKED', `${who} is working in this project; nothing was written`, {
    hint: 'wait for it and try again',
  })
}
