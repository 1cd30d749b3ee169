import { existsSync } from 'node:fs'
import { EJSON } from 'bson'
import { type Doc, isDocument } from '../bson/document.ts'
import { errorText } from '../errors/error-text.ts'
import { readText } from './bson-file.ts'
import {
  type CollectionMetadata,
  type TransferDatabase,
  type TransferredCollection,
} from './export-database.ts'

const batchDocuments = 1000
const batchBytes = 8 * 1024 * 1024

export interface InputDocument {
  document: Doc
  // The size in the file.
  bytes: number
  // Where it is, for error messages: the file, and its line or number.
  place: string
}

interface CollectionInput {
  name: string
  documents: AsyncIterable<InputDocument>
  metadata: CollectionMetadata | undefined
  // Drop the collection first.
  drop: boolean
  // Create it with its options.
  create: boolean
}

export async function writeCollection(
  database: TransferDatabase,
  { name, documents, metadata, drop, create }: CollectionInput,
): Promise<TransferredCollection> {
  if (drop) await database.command({ drop: name }).catch(ignoreMissing)
  if (create) await database.command({ create: name, ...metadata?.options })
  const count = await insertDocuments(database, name, documents)
  const indexes = metadata?.indexes.filter((index) => index['name'] !== '_id_') ?? []
  if (indexes.length > 0) await database.command({ createIndexes: name, indexes })
  return { name, documents: count }
}

export async function readMetadata(file: string): Promise<CollectionMetadata | undefined> {
  if (!existsSync(file)) return undefined
  try {
    const metadata: CollectionMetadata = EJSON.parse(await readText(file), { relaxed: false })
    return metadata
  } catch (cause) {
    throw new Error(`${file}: ${errorText(cause)}`, { cause })
  }
}

function ignoreMissing(error: unknown): void {
  // Servers before 7 return error 26 when there is nothing to drop.
  if (!(error instanceof Error && 'code' in error && error.code === 26)) throw error
}

async function insertDocuments(
  database: TransferDatabase,
  name: string,
  documents: AsyncIterable<InputDocument>,
): Promise<number> {
  let batch: InputDocument[] = []
  let bytes = 0
  let total = 0
  const flush = async (): Promise<void> => {
    await insertBatch(database, name, batch)
    total += batch.length
    batch = []
    bytes = 0
  }
  for await (const input of documents) {
    batch.push(input)
    bytes += input.bytes
    if (batch.length >= batchDocuments || bytes >= batchBytes) await flush()
  }
  await flush()
  return total
}

async function insertBatch(
  database: TransferDatabase,
  name: string,
  batch: InputDocument[],
): Promise<void> {
  if (batch.length === 0) return
  const { writeErrors } = await database.command({
    insert: name,
    documents: batch.map(({ document }) => document),
    // A validator set later does not apply to documents that were stored before.
    bypassDocumentValidation: true,
  })
  const [error] = Array.isArray(writeErrors) ? writeErrors : []
  if (!isDocument(error)) return
  throw new Error(`${batch[Number(error['index'])]?.place}: ${String(error['errmsg'])}`)
}
