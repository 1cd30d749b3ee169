import { mkdirSync, rmSync } from 'node:fs'
import { openFileStore } from '../storage/file-store.ts'
import { createMemoryStore } from '../storage/tree.ts'
import { chooseAddress, type Listen, secondaryOf, toUri } from './address.ts'
import { type RunningServer, startServer } from './create-server.ts'
import { acquireFolderLock, type FolderLock } from './folder-lock.ts'
import { type Settings } from './options.ts'
import { publishServerFile, readServerFile, requireNotInUseElsewhere } from './server-file.ts'

export interface ServedDatabase {
  uri: string
  // Syncs, then releases folder and address.
  stop(): Promise<void>
}

// Undefined when another process serves the folder.
export function serve(settings: Settings): Promise<ServedDatabase | undefined> {
  const { directory } = settings
  return directory === undefined ? serveMemory(settings) : serveFolder(directory, settings)
}

export async function serveMemory(settings: Settings): Promise<ServedDatabase> {
  const store = createMemoryStore()
  const listen = chooseAddress(undefined, settings.port)
  const server = await startServer({ ...settings, store, listen, isPersistent: false })
  return { uri: toUri(listen, server.port), stop: () => server.close() }
}

async function serveFolder(
  directory: string,
  settings: Settings,
): Promise<ServedDatabase | undefined> {
  try {
    return await lockAndOpen(directory, settings)
  } catch (error) {
    // The error of the file system does not say how to fix it.
    if (!(error instanceof Error && 'syscall' in error && 'path' in error)) throw error
    throw new Error(
      `The data folder ${directory} cannot be used: ${error.message}. Use a folder that this user can write to.`,
      { cause: error },
    )
  }
}

async function lockAndOpen(
  directory: string,
  settings: Settings,
): Promise<ServedDatabase | undefined> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  requireNotInUseElsewhere(directory)
  const lock = await acquireFolderLock(directory)
  if (!lock) return undefined
  try {
    return await open(directory, settings, lock)
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function open(
  directory: string,
  settings: Settings,
  lock: FolderLock,
): Promise<ServedDatabase> {
  const store = openFileStore({
    directory,
    warn: (message) => settings.onMessage(message, 'warning'),
  })
  const listen = chooseAddress(directory, settings.port)
  // Only the holder of the lock may remove the sockets of a killed owner.
  for (const where of [listen, secondaryOf(listen)]) {
    if ('path' in where) rmSync(where.path, { force: true })
  }
  const server = await listenOnLastPort(listen, directory, (where) =>
    startServer({ ...settings, store, listen: where, isPersistent: true }),
  ).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const uri = toUri(listen, server.port)
  const unpublish = publishServerFile(directory, uri)
  return {
    uri,
    async stop() {
      unpublish()
      await server.close()
      await store.close()
      await lock.release()
    },
  }
}

// Without a fixed address (Windows) the last owner's port is tried first, so that clients reconnect.
async function listenOnLastPort(
  listen: Listen,
  directory: string,
  start: (listen: Listen) => Promise<RunningServer>,
): Promise<RunningServer> {
  if ('path' in listen || listen.port !== 0) return start(listen)
  const port = Number(/:(\d+)\//.exec(readServerFile(directory)?.uri ?? '')?.[1] ?? 0)
  return port > 0 ? start({ ...listen, port }).catch(() => start(listen)) : start(listen)
}
