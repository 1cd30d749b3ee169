import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** What the owner of a folder tells the others. */
export interface ServerFile {
  uri: string
  pid: number
  host: string
  /** When the owner last said that it lives, in milliseconds. */
  heartbeat: number
}

const NAME = 'server.json'
const HEARTBEAT_MS = 5000
const FRESH_MS = 3 * HEARTBEAT_MS

/**
 * Reads what the owner of a folder tells.
 *
 * @param directory The data folder.
 * @returns The owner's file, `undefined` when there is none that can be read.
 */
export function readServerFile(directory: string): ServerFile | undefined {
  try {
    const { uri, pid, host, heartbeat } = JSON.parse(readFileSync(join(directory, NAME), 'utf8'))
    if (typeof uri !== 'string' || typeof host !== 'string') return undefined
    return { uri, pid: Number(pid), host, heartbeat: Number(heartbeat) }
  } catch {
    return undefined
  }
}

/**
 * Refuses a folder that a process of another machine or container uses: its lock is not seen here.
 *
 * @param directory The data folder.
 * @throws {Error} Naming the other host.
 */
export function requireNoForeignOwner(directory: string): void {
  const other = readServerFile(directory)
  if (!other || other.host === hostname() || Date.now() - other.heartbeat > FRESH_MS) return
  throw new Error(
    `${directory} is in use by process ${other.pid} on the host ${other.host}. ` +
      'A data folder cannot be shared between machines or containers: stop the other one, or set MONGODB_URI.',
  )
}

/**
 * Tells others how to connect, and every few seconds that this process lives.
 *
 * @param directory The data folder, which this process owns.
 * @param uri Where it listens.
 * @returns Stops and takes the file away.
 */
export function publishServerFile(directory: string, uri: string): () => void {
  const file = join(directory, NAME)
  const write = (): void => {
    const content: ServerFile = { uri, pid: process.pid, host: hostname(), heartbeat: Date.now() }
    writeFileSync(`${file}.tmp`, `${JSON.stringify(content)}\n`, { mode: 0o600 })
    renameSync(`${file}.tmp`, file)
  }
  const beat = (): void => {
    try {
      write()
    } catch {
      // The folder is full or gone; the next beat tries again, and writes report it.
    }
  }
  write()
  const timer = setInterval(beat, HEARTBEAT_MS).unref()
  return () => {
    clearInterval(timer)
    rmSync(file, { force: true })
  }
}
