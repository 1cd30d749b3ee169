import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Listen } from './create-server.ts'

const DATABASE = 'app'
// The limit is 108 on Linux and 104 on macOS, with a zero at the end.
const LONGEST_SOCKET_PATH = 100

/**
 * A name for a data folder that every process on this machine makes the same way.
 *
 * @param directory The folder, which must exist.
 * @returns 16 hexadecimal digits.
 */
export function folderId(directory: string): string {
  return createHash('sha256').update(realpathSync(directory)).digest('hex').slice(0, 16)
}

/**
 * Where to listen: the same place whenever the same folder is served, so that clients find it again.
 *
 * @param directory The data folder; without it the place is used once.
 * @param port The port asked for, if any.
 * @returns A socket in a private folder, or a port.
 * @throws {Error} The private folder belongs to somebody else, or its path is too long for a socket.
 */
export function chooseAddress(directory: string | undefined, port: number | undefined): Listen {
  if (port !== undefined) return { host: '127.0.0.1', port }
  if (process.platform === 'win32') return { host: '127.0.0.1', port: 0 }
  const name = directory === undefined ? randomBytes(8).toString('hex') : folderId(directory)
  const path = join(privateFolder(), `${name}.sock`)
  if (path.length > LONGEST_SOCKET_PATH) {
    throw new Error(
      `The path ${path} is too long for a unix socket: set TMPDIR to a shorter one, or the option port.`,
    )
  }
  return { path }
}

/**
 * The connection string of an address.
 *
 * @param listen Where the server listens.
 * @param port The port it got, when it listens on one.
 * @returns `mongodb://…`; drivers lower-case the hosts a server tells, so it asks for a direct connection.
 */
export function toUri(listen: Listen, port: number | undefined): string {
  const host =
    'path' in listen ? encodeURIComponent(listen.path) : `127.0.0.1:${port ?? listen.port}`
  return `mongodb://${host}/${DATABASE}?directConnection=true`
}

function privateFolder(): string {
  const { uid } = process.getuid ? { uid: process.getuid() } : { uid: 0 }
  const folder = join(tmpdir(), `embedded-mongo-${uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stats = lstatSync(folder)
  if (!stats.isDirectory() || stats.uid !== uid) {
    throw new Error(`${folder} belongs to somebody else: set TMPDIR to a folder of your own.`)
  }
  if ((stats.mode & 0o077) !== 0) chmodSync(folder, 0o700)
  return folder
}
