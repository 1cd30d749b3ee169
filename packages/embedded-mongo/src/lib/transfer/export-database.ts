import { mkdirSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EJSON } from 'bson'
import { decode } from '../bson/codec.ts'
import { type Doc, isDocument } from '../bson/document.ts'

/** The methods used of the driver's `Db` (`client.db()`, or `connection.db` of Mongoose). */
export interface TransferDatabase {
  command(command: Record<string, unknown>): Promise<Record<string, unknown>>
  collection(name: string): {
    find(
      filter: Record<string, never>,
      options: { raw: true; batchSize?: number },
    ): AsyncIterable<unknown>
  }
}

/** An exported or imported collection. */
export interface TransferredCollection {
  name: string
  /** Number of documents. */
  documents: number
}

// The content of `NAME.metadata.json`, as mongodump writes it.
export interface CollectionMetadata {
  collectionName: string
  type: string
  options: Record<string, unknown>
  indexes: Record<string, unknown>[]
}

const chunkCharacters = 1024 * 1024

/** Options of {@link exportDatabase}. */
export interface ExportOptions {
  /** Output folder, created when missing; files of the same name are replaced. */
  directory: string
  /**
   * Names of the collections to export.
   * @default all
   */
  collections?: readonly string[] | undefined
}

/**
 * Exports each collection to `NAME.ndjson`, canonical Extended JSON with one document per line as
 * `mongoimport` reads it, and its options and indexes to `NAME.metadata.json`.
 * @param database - the database to read; any MongoDB server
 * @param options - output folder and collections
 * @returns the exported collections
 */
export async function exportDatabase(
  database: TransferDatabase,
  options: ExportOptions,
): Promise<TransferredCollection[]> {
  const { directory, collections } = options
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const done: TransferredCollection[] = []
  for (const metadata of await listMetadata(database)) {
    const name = metadata.collectionName
    if (collections && !collections.includes(name)) continue
    const file = join(directory, encodeURIComponent(name))
    await writeFile(`${file}.metadata.json`, `${EJSON.stringify(metadata, { relaxed: false })}\n`, {
      mode: 0o600,
    })
    done.push({ name, documents: await writeDocuments(database, name, `${file}.ndjson`) })
  }
  return done
}

export async function listMetadata(database: TransferDatabase): Promise<CollectionMetadata[]> {
  const found = await listAll(database, { listCollections: 1 })
  const names = found.filter(
    ({ type, name }) => type === 'collection' && !String(name).startsWith('system.'),
  )
  const all: CollectionMetadata[] = []
  for (const { name, options } of names) {
    const indexes = await listAll(database, { listIndexes: name })
    all.push({
      collectionName: String(name),
      type: 'collection',
      options: isDocument(options) ? options : {},
      indexes,
    })
  }
  return all.toSorted((a, b) => (a.collectionName < b.collectionName ? -1 : 1))
}

// One batch holds them all: collections and indexes of an application are far below its 16 MB.
async function listAll(database: TransferDatabase, command: Doc): Promise<Doc[]> {
  const { cursor } = await database.command({ ...command, cursor: { batchSize: 100_000 } })
  const batch = isDocument(cursor) ? cursor['firstBatch'] : undefined
  return Array.isArray(batch) ? batch.filter((item) => isDocument(item)) : []
}

async function writeDocuments(
  database: TransferDatabase,
  name: string,
  file: string,
): Promise<number> {
  const handle = await open(file, 'w', 0o600)
  let documents = 0
  let lines = ''
  try {
    for await (const raw of database.collection(name).find({}, { raw: true })) {
      if (!(raw instanceof Uint8Array)) throw new TypeError('The driver returned no raw document')
      lines += `${EJSON.stringify(decode(raw), { relaxed: false })}\n`
      documents += 1
      if (lines.length < chunkCharacters) continue
      await handle.write(lines)
      lines = ''
    }
    await handle.write(lines)
  } finally {
    await handle.close()
  }
  return documents
}
