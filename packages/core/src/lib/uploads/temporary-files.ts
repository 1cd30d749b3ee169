import { randomUUID } from 'node:crypto'
import { createWriteStream, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Writable } from 'node:stream'

/** The temporary files of one request. */
export interface TemporaryFiles {
  /** Creates a file with a random name that only this user may read, in a folder of the same kind. */
  create(): Promise<{ readonly path: string; readonly stream: Writable }>
  /** Removes the folder, once nothing is being written to it. */
  remove(): Promise<void>
}

// Removed by the listener below if the process ends before the response.
const folders = new Set<string>()
let isListening = false

export function createTemporaryFiles(directory = tmpdir()): TemporaryFiles {
  let folder: Promise<string> | undefined
  let isRemoved = false

  return {
    async create() {
      if (isRemoved) throw new Error('The request has ended.')
      const parent = await (folder ??= makeFolder(directory))
      const file = path.join(parent, randomUUID())
      return { path: file, stream: createWriteStream(file, { flags: 'wx', mode: 0o600 }) }
    },
    async remove() {
      isRemoved = true
      const created = await folder?.catch(() => undefined)
      if (created === undefined) return
      // Tried again if a file is being created meanwhile.
      await rm(created, { recursive: true, force: true, maxRetries: 5 })
      folders.delete(created)
    },
  }
}

async function makeFolder(directory: string): Promise<string> {
  // `mkdtemp` creates it with mode 0700.
  const folder = await mkdtemp(path.join(directory, 'create-api-upload-'))
  folders.add(folder)
  if (!isListening) process.on('exit', removeAll)
  isListening = true
  return folder
}

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
