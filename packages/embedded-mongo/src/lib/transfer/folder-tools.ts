import { type Doc, isDocument } from '../bson/document.ts'
import { acquireFolderLock } from '../host/folder-lock.ts'
import { probe, request } from '../host/request.ts'
import { startEmbeddedMongo } from '../host/start-embedded-mongo.ts'
import { openFileStore } from '../storage/file-store.ts'
import { requireDataFolder } from './place.ts'
import { type Terminal } from './terminal.ts'

/**
 * Prints the size of every collection of a data folder.
 *
 * @param directory The data folder.
 * @param terminal Where to print.
 * @throws {Error} The folder holds no data, or is damaged.
 */
export async function printStats(directory: string, terminal: Terminal): Promise<void> {
  requireDataFolder(directory)
  await withServer(directory, async (send) => {
    const { databases } = await send({ listDatabases: 1, $db: 'admin' })
    for (const name of namesOf(databases)) {
      const { cursor } = await send({
        listCollections: 1,
        cursor: { batchSize: 100_000 },
        $db: name,
      })
      const collections = isDocument(cursor) ? namesOf(cursor['firstBatch']) : []
      for (const collection of collections.toSorted()) {
        const { count, size, nindexes } = await send({ collStats: collection, $db: name })
        terminal.out(
          `${name}.${collection}  ${String(count)} documents  ${Number(size)} bytes  ${String(nindexes)} indexes\n`,
        )
      }
    }
  })
}

/**
 * Rewrites a data folder as one snapshot; its owner does it, when there is one.
 *
 * @param directory The data folder.
 * @param repair First keep what stands before a damaged place, and set the rest aside.
 * @param terminal Where to print.
 * @throws {Error} The folder holds no data, is damaged, or to be repaired while it is in use.
 */
export async function compactFolder(
  directory: string,
  repair: boolean,
  terminal: Terminal,
): Promise<void> {
  requireDataFolder(directory)
  if (repair) await repairFolder(directory, terminal)
  await withServer(directory, async (send) => {
    const { ok, errmsg } = await send({ compact: 'all', $db: 'admin' })
    if (Number(ok) !== 1) throw new Error(String(errmsg))
  })
  terminal.out(`compacted ${directory}\n`)
}

async function repairFolder(directory: string, terminal: Terminal): Promise<void> {
  const lock = await acquireFolderLock(directory)
  if (!lock) throw new Error(`${directory} is in use.`)
  try {
    const warn = (message: string): void => terminal.error(`${message}\n`)
    await openFileStore({ directory, repair: true, warn }).close()
  } finally {
    await lock.release()
  }
}

async function withServer(
  directory: string,
  use: (send: (body: Doc) => Promise<Doc>) => Promise<void>,
): Promise<void> {
  const mongo = await startEmbeddedMongo({ storage: { directory }, onMessage: () => {} })
  const socket = await probe(mongo.uri)
  try {
    if (!socket) throw new Error(`The owner of ${directory} does not answer.`)
    await use((body) => request(socket, body))
  } finally {
    socket?.destroy()
    await mongo.stop()
  }
}

function namesOf(list: unknown): string[] {
  if (!Array.isArray(list)) return []
  return list.filter((item) => isDocument(item)).map((item) => String(item['name']))
}
