import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from '../errors/cli-error.ts'
import { isErrno } from './plan.ts'
import { createFolder, type FileSystem, realFileSystem, removeEmptyFolders } from './file-system.ts'

// A dead run in a container may have had our process id: only these locks are ours.
const held = new Set<string>()

// More time than a run needs to write its process id into the new lock.
const emptyLockMs = 5000

interface LockOptions {
  /** How long to wait while the same other run goes on, in milliseconds; 30,000 by default. */
  readonly maxWaitMs?: number | undefined
  /** What the error says that another run does. */
  readonly work?: string | undefined
  readonly fs?: FileSystem | undefined
}

// Runs an action while no other generator works in the project.
export function withLock<Result>(
  root: string,
  action: () => Promise<Result>,
  options: LockOptions = {},
): Promise<Result> {
  return withLockFile(join(root, '.api', 'lock'), action, options)
}

// Runs an action while no other process holds the file. Its folder is created when it is missing, and removed when it
// stays empty.
export async function withLockFile<Result>(
  lock: string,
  action: () => Promise<Result>,
  options: LockOptions = {},
): Promise<Result> {
  const { maxWaitMs = 30_000, work = 'is working in this project', fs = realFileSystem } = options
  const folder = dirname(lock)
  const created = createFolder(fs, folder)
  try {
    await acquire({ fs, lock, work, maxWaitMs })
    // An interrupted run removes its lock.
    const leave = (): void => {
      release(fs, lock)
      removeEmptyFolders(fs, [...created, folder])
    }
    process.once('exit', leave)
    try {
      return await action()
    } finally {
      process.removeListener('exit', leave)
      release(fs, lock)
    }
  } finally {
    // Another run may have created the folder again.
    removeEmptyFolders(fs, [...created, folder])
  }
}

interface Acquisition {
  readonly fs: FileSystem
  readonly lock: string
  readonly work: string
  readonly maxWaitMs: number
}

async function acquire({ fs, lock, maxWaitMs, work }: Acquisition): Promise<void> {
  let awaited: string | undefined
  let deadline = Date.now() + maxWaitMs
  for (;;) {
    try {
      fs.writeFileSync(lock, String(process.pid), { flag: 'wx' })
      held.add(lock)
      return
    } catch (error) {
      // The other run has removed the folder.
      if (isErrno(error, 'ENOENT')) createFolder(fs, dirname(lock))
      else if (!isErrno(error, 'EEXIST')) throw error
    }
    const holder = readHolder(fs, lock)
    // Many runs that start together end one after the other.
    if (holder !== awaited) [awaited, deadline] = [holder, Date.now() + maxWaitMs]
    if (holder !== undefined && isAbandoned(fs, lock, holder)) breakLock(fs, lock, holder)
    else if (Date.now() > deadline) throw lockedError(holder, work)
    else await sleep(20)
  }
}

function release(fs: FileSystem, lock: string): void {
  held.delete(lock)
  try {
    fs.rmSync(lock, { force: true })
  } catch {
    // The files are written; the next run removes the lock.
  }
}

function readHolder(fs: FileSystem, lock: string): string | undefined {
  try {
    return fs.readFileSync(lock, 'utf8')
  } catch {
    return undefined
  }
}

function isAbandoned(fs: FileSystem, lock: string, holder: string): boolean {
  const pid = Number(holder)
  if (!Number.isSafeInteger(pid) || pid <= 0) {
    const stats = fs.statSync(lock, { throwIfNoEntry: false })
    return stats !== undefined && Date.now() - stats.mtimeMs > emptyLockMs
  }
  if (pid === process.pid) return !held.has(lock)
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return !isErrno(error, 'EPERM')
  }
}

// Two runs may find the same dead holder: only the one that renames the lock removes it.
function breakLock(fs: FileSystem, lock: string, holder: string): void {
  const aside = `${lock}.${process.pid}`
  try {
    fs.renameSync(lock, aside)
    const taken = fs.readFileSync(aside, 'utf8')
    if (taken !== holder) fs.writeFileSync(lock, taken, { flag: 'wx' })
  } catch (error) {
    if (!isErrno(error, 'ENOENT') && !isErrno(error, 'EEXIST')) throw error
  } finally {
    fs.rmSync(aside, { force: true })
  }
}

function lockedError(holder: string | undefined, work: string): CliError {
  const who =
    holder === undefined || holder === '' ? 'another run' : `another run (process ${holder})`
  return new CliError('LOCKED', `${who} ${work}; nothing was written`, {
    hint: 'wait for it and try again',
  })
}
