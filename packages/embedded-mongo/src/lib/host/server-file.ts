import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

// What the owner of a folder publishes for other processes.
interface ServerFile {
  uri: string
  pid: number
  host: string
  heartbeat: number
}

const name = 'server.json'
const heartbeatMs = 5000
const heartbeatTimeoutMs = 3 * heartbeatMs

export function readServerFile(directory: string): ServerFile | undefined {
  try {
    const { uri, pid, host, heartbeat } = JSON.parse(readFileSync(join(directory, name), 'utf8'))
    if (typeof uri !== 'string' || typeof host !== 'string') return undefined
    return { uri, pid: Number(pid), host, heartbeat: Number(heartbeat) }
  } catch {
    return undefined
  }
}

// Rejects a folder in use by another machine or container, whose lock is not visible here.
export function requireNotInUseElsewhere(directory: string): void {
  const other = readServerFile(directory)
  if (!other || other.host === hostname() || Date.now() - other.heartbeat > heartbeatTimeoutMs)
    return
  throw new Error(
    `${directory} is in use by process ${other.pid} on the host ${other.host}. ` +
      'A data folder cannot be shared between machines or containers: stop the other one, or set MONGODB_URI.',
  )
}

// Publishes the address, and every few seconds that this process is alive.
export function publishServerFile(directory: string, uri: string): () => void {
  const file = join(directory, name)
  const write = (): void => {
    const content: ServerFile = { uri, pid: process.pid, host: hostname(), heartbeat: Date.now() }
    writeFileSync(`${file}.tmp`, `${JSON.stringify(content)}\n`, { mode: 0o600 })
    renameSync(`${file}.tmp`, file)
  }
  const updateHeartbeat = (): void => {
    try {
      write()
    } catch {
      // The disk is full or the folder is gone; the next heartbeat tries again, and writes report it.
    }
  }
  write()
  const timer = setInterval(updateHeartbeat, heartbeatMs).unref()
  return () => {
    clearInterval(timer)
    rmSync(file, { force: true })
  }
}
