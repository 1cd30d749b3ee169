import { closeSync, openSync, realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { folderId } from './address.ts'

// The exclusive right to open a data folder; the operating system releases it when the process
// dies.
export interface FolderLock {
  release(): Promise<void>
}

// From fcntl.h of macOS and the BSDs; Node has no constants for them.
const oRdwrCreatNonblockExlock = 0x0002 | 0x0200 | 0x0004 | 0x0020

// Undefined when another process holds the lock.
export function acquireFolderLock(directory: string): Promise<FolderLock | undefined> {
  const name = `embedded-mongo-${folderId(directory)}`
  // An abstract socket has no file, so a crash leaves nothing that could be mistaken for a lock.
  if (process.platform === 'linux') return listenAsLock(`\0${name}`)
  if (process.platform === 'win32') return listenAsLock(`\\\\.\\pipe\\${name}`)
  return Promise.resolve(openAsLock(join(realpathSync(directory), 'lock')))
}

function listenAsLock(path: string): Promise<FolderLock | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined)
      else reject(error)
    })
    server.listen(path, () => {
      server.unref()
      resolve({
        release: () =>
          new Promise((done) => {
            server.close(() => done())
          }),
      })
    })
  })
}

function openAsLock(file: string): FolderLock | undefined {
  try {
    const descriptor = openSync(file, oRdwrCreatNonblockExlock, 0o600)
    return { release: () => Promise.resolve(closeSync(descriptor)) }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined
    throw error
  }
}
