import { EJSON } from 'bson'
import { type Db, type Document, MongoServerError } from 'mongodb'

/** One row of a data file. */
export interface Case {
  name: string
  /** What the collection holds; the file's first line gives it when left out. */
  documents?: Document[]
  /** Created before the documents are inserted, under the name `index` and a number from 0. */
  indexes?: Document[]
  /** Other collections. */
  others?: Record<string, Document[]>
  /** One of the short forms below. */
  command: Document
  /** Documents, or their ids, or what the command returns. */
  expect?: unknown
  error?: { code: number; contains?: string }
  /** A MongoDB server replies otherwise. */
  embedded?: boolean
}

/**
 * Runs a row in its own collection.
 * @returns What it gave: `{ result }` or `{ error }`.
 */
export async function runCase(
  db: Db,
  row: Case,
): Promise<{ result?: unknown; error?: MongoServerError }> {
  const name = 'items'
  await db.dropDatabase()
  for (const [other, documents] of Object.entries(row.others ?? {})) {
    await run(db, { insert: other, documents })
  }
  if (row.indexes && row.indexes.length > 0) await createIndexes(db, name, row.indexes)
  if (row.documents && row.documents.length > 0) {
    await run(db, { insert: name, documents: row.documents })
  }
  try {
    return { result: await runCommand(db, name, row.command) }
  } catch (error) {
    if (error instanceof MongoServerError) return { error }
    throw error
  }
}

async function createIndexes(db: Db, name: string, specs: Document[]): Promise<void> {
  const indexes = specs.map((spec, i) => ({ name: `index${i}`, ...spec }))
  await run(db, { createIndexes: name, indexes })
}

type Runner = (db: Db, name: string, command: Document) => Promise<unknown>

const all = 10_000

const runners: Record<string, Runner> = {
  find: async (db, name, { find, ...options }) => {
    const { cursor } = await run(db, { find: name, filter: find, batchSize: all, ...options })
    return cursor.firstBatch
  },
  aggregate: async (db, name, { aggregate, after, ...options }) => {
    const cursor = { batchSize: all }
    const reply = await run(db, { aggregate: name, pipeline: aggregate, cursor, ...options })
    return after === undefined ? reply['cursor'].firstBatch : contents(db, after)
  },
  update: async (db, name, { update, filter = {}, returns, ...options }) => {
    const reply = await run(db, {
      update: name,
      updates: [{ q: filter, u: update, ...options }],
    })
    throwWriteError(reply)
    return returns === 'counts' ? pick(reply, ['n', 'nModified']) : contents(db, name)
  },
  delete: async (db, name, { delete: filter, limit = 0 }) => {
    throwWriteError(await run(db, { delete: name, deletes: [{ q: filter, limit }] }))
    return contents(db, name)
  },
  insert: async (db, name, { insert }) => {
    throwWriteError(await run(db, { insert: name, documents: insert }))
    return contents(db, name)
  },
  findAndModify: async (db, name, { findAndModify, ...options }) =>
    (await run(db, { findAndModify: name, query: findAndModify, ...options }))['value'],
  count: async (db, name, { count, ...options }) =>
    (await run(db, { count: name, query: count, ...options }))['n'],
  createIndexes: async (db, name, { createIndexes: specs }) => {
    await createIndexes(db, name, specs)
    return (await run(db, { listIndexes: name }))['cursor'].firstBatch.slice(1)
  },
  // In no promised order.
  distinct: async (db, name, { distinct, ...options }) => {
    const { values } = await run(db, { distinct: name, key: distinct, ...options })
    return values.toSorted((a: unknown, b: unknown) => (show(a) < show(b) ? -1 : 1))
  },
}

async function runCommand(db: Db, name: string, command: Document): Promise<unknown> {
  const [form = ''] = Object.keys(command)
  const runner = runners[form]
  if (runner === undefined) throw new Error(`no such form: ${form}`)
  return runner(db, name, command)
}

// Exact types: the driver takes this from the command's options only.
function run(db: Db, command: Document): Promise<Document> {
  return db.command(command, { promoteValues: false, bsonRegExp: true })
}

async function contents(db: Db, name: string): Promise<unknown> {
  return (await run(db, { find: name, batchSize: all }))['cursor'].firstBatch
}

function throwWriteError(reply: Document): void {
  const [first] = reply['writeErrors'] ?? []
  if (first !== undefined) throw new MongoServerError({ ...first, code: Number(first.code) })
}

function pick(reply: Document, names: string[]): Document {
  return Object.fromEntries(names.map((name) => [name, reply[name]]))
}

/** Writes a value with its exact types. */
export function show(value: unknown): string {
  return EJSON.stringify({ value }, { relaxed: false })
}
