import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Listen = { path: string } | { port: number; host: string }

const database = 'app'
// The limit is 108 on Linux and 104 on macOS, including the final zero byte.
const maxSocketPath = 100
const socket = '.sock'
const secondarySocket = '-2.sock'

// A name for a data folder that is the same in every process on this machine.
export function folderId(directory: string): string {
  return createHash('sha256').update(realpathSync(directory)).digest('hex').slice(0, 16)
}

// The same folder is always served at the same address, so that clients find it again.
export function chooseAddress(directory: string | undefined, port: number | undefined): Listen {
  if (port !== undefined) return { host: '127.0.0.1', port }
  if (process.platform === 'win32') return { host: '127.0.0.1', port: 0 }
  const name = directory === undefined ? randomBytes(8).toString('hex') : folderId(directory)
  const path = join(privateFolder(), `${name}${socket}`)
  if (path.length + secondarySocket.length - socket.length > maxSocketPath) {
    throw new Error(
      `The path ${path} is too long for a Unix socket: set TMPDIR to a shorter path, or set the option port.`,
    )
  }
  return { path }
}

// Clients find it through the primary, so the port may change.
export function secondaryOf(primary: Listen): Listen {
  if (!('path' in primary)) return { ...primary, port: 0 }
  return { path: primary.path.slice(0, -socket.length) + secondarySocket }
}

export function toUri(listen: Listen, port: number | undefined): string {
  const host =
    'path' in listen ? encodeURIComponent(listen.path) : `127.0.0.1:${port ?? listen.port}`
  return `mongodb://${host}/${database}?directConnection=true`
}

function privateFolder(): string {
  const { uid } = process.getuid ? { uid: process.getuid() } : { uid: 0 }
  const folder = join(tmpdir(), `embedded-mongo-${uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stats = lstatSync(folder)
  if (!stats.isDirectory() || stats.uid !== uid) {
    throw new Error(`${folder} belongs to another user: set TMPDIR to a folder that you own.`)
  }
  if ((stats.mode & 0o077) !== 0) chmodSync(folder, 0o700)
  return folder
}
