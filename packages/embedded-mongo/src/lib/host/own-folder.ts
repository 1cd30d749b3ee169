import { mkdirSync, rmSync } from 'node:fs'
import { openFileStore } from '../storage/file-store.ts'
import { createMemoryStore } from '../storage/memory-store.ts'
import { chooseAddress, toUri } from './address.ts'
import { type Listen, type RunningServer, startServer } from './create-server.ts'
import { acquireFolderLock, type FolderLock } from './folder-lock.ts'
import { type Settings } from './options.ts'
import { publishServerFile, readServerFile, requireNoForeignOwner } from './server-file.ts'

/** A database this process serves. */
export interface Owned {
  uri: string
  /** Last sync, then release of folder and address. */
  stop(): Promise<void>
}

/**
 * Serves a database from memory.
 *
 * @param settings The options.
 * @returns The running database.
 */
export async function serveMemory(settings: Settings): Promise<Owned> {
  const store = createMemoryStore()
  const listen = chooseAddress(undefined, settings.port)
  const server = await startServer({ ...settings, store, listen, isPersistent: false })
  return { uri: toUri(listen, server.port), stop: () => server.close() }
}

/**
 * Serves a data folder, when no other process does.
 *
 * @param directory The data folder.
 * @param settings The options.
 * @returns The running database, `undefined` when another process owns the folder.
 * @throws {StoreDamage} The folder cannot be read without losing something.
 * @throws {Error} The folder cannot be made or written.
 */
export async function serveFolder(
  directory: string,
  settings: Settings,
): Promise<Owned | undefined> {
  try {
    return await lockAndOpen(directory, settings)
  } catch (error) {
    // What the file system says names no cure.
    if (!(error instanceof Error && 'syscall' in error && 'path' in error)) throw error
    throw new Error(
      `The data folder ${directory} cannot be used: ${error.message}. Name a folder that this user may write to.`,
      { cause: error },
    )
  }
}

async function lockAndOpen(directory: string, settings: Settings): Promise<Owned | undefined> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  requireNoForeignOwner(directory)
  const lock = await acquireFolderLock(directory)
  if (!lock) return undefined
  try {
    return await open(directory, settings, lock)
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function open(directory: string, settings: Settings, lock: FolderLock): Promise<Owned> {
  const store = openFileStore({
    directory,
    warn: (message) => settings.onMessage(message, 'warning'),
  })
  const listen = chooseAddress(directory, settings.port)
  // Only the holder of the lock may take away what a killed owner left.
  if ('path' in listen) rmSync(listen.path, { force: true })
  const server = await listenAgain(listen, directory, (where) =>
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

// Without a fixed address (Windows) the last owner's port is tried first, so that clients find us again.
async function listenAgain(
  listen: Listen,
  directory: string,
  start: (listen: Listen) => Promise<RunningServer>,
): Promise<RunningServer> {
  if ('path' in listen || listen.port !== 0) return start(listen)
  const port = Number(/:(\d+)\//.exec(readServerFile(directory)?.uri ?? '')?.[1] ?? 0)
  return port > 0 ? start({ ...listen, port }).catch(() => start(listen)) : start(listen)
}
