import { CommandError } from '../errors/command-error.ts'
import { type CursorBatch } from '../wire/reply.ts'

const firstBatchSize = 101
const maxBatchBytes = 16 * 1024 * 1024
const idleMs = 10 * 60 * 1000

export interface CursorSource {
  namespace: string
  documents: Iterator<Buffer>
  // The transaction it reads in; the cursor is closed with it.
  transaction?: object | undefined
  // The session that opened it.
  session?: string | undefined
  // The collection that it reads; the cursor fails when that is dropped or renamed.
  collection?: string | undefined
  // Waits for more documents (change streams only).
  wait?: ((timeoutMs: number) => Promise<void>) | undefined
  // Further fields of `cursor` in each reply.
  fields?: (() => Record<string, unknown>) | undefined
  // No more documents will come although it can wait: the watched collection was dropped.
  isOver?: (() => boolean) | undefined
  // noCursorTimeout
  mayIdle?: boolean | undefined
  close?: (() => void) | undefined
}

export interface Cursor {
  id: bigint
  source: CursorSource
  // The document that did not fit into the previous batch.
  held: Buffer | undefined
  lastUsed: number
}

interface FirstBatchOptions {
  batchSize?: number | undefined
  singleBatch?: boolean | undefined
}

export class Cursors {
  readonly #open = new Map<bigint, Cursor>()

  get size(): number {
    return this.#open.size
  }

  // Returns the first batch, and keeps the cursor when there may be more.
  open(source: CursorSource, options: FirstBatchOptions): CursorBatch {
    const { batchSize = firstBatchSize, singleBatch = false } = options
    const cursor = { id: newId(this.#open), source, held: undefined, lastUsed: Date.now() }
    this.#open.set(cursor.id, cursor)
    try {
      const batch = this.#fill(cursor, 'firstBatch', batchSize)
      if (!singleBatch) return batch
      this.kill(cursor.id)
      return { ...batch, id: 0n }
    } catch (error) {
      this.kill(cursor.id)
      throw error
    }
  }

  require(id: bigint, namespace: string): Cursor {
    const cursor = this.#open.get(id)
    if (!cursor) throw new CommandError('CursorNotFound', `cursor id ${id} not found`)
    if (cursor.source.namespace !== namespace) {
      throw new CommandError(
        'Unauthorized',
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.source.namespace}`,
      )
    }
    cursor.lastUsed = Date.now()
    return cursor
  }

  next(cursor: Cursor, batchSize: number): CursorBatch {
    return this.#fill(cursor, 'nextBatch', batchSize)
  }

  kill(id: bigint): boolean {
    const cursor = this.#open.get(id)
    if (!cursor) return false
    this.#open.delete(id)
    cursor.source.documents.return?.()
    cursor.source.close?.()
    return true
  }

  killOf(transaction: object): void {
    for (const { id, source } of this.#open.values()) {
      if (source.transaction === transaction) this.kill(id)
    }
  }

  killIdle(now: number): void {
    for (const { id, lastUsed, source } of this.#open.values()) {
      if (now - lastUsed > idleMs && !source.mayIdle) this.kill(id)
    }
  }

  #fill(cursor: Cursor, name: CursorBatch['name'], batchSize: number): CursorBatch {
    const { documents, exhausted } = takeBatch(cursor, batchSize)
    const { wait, isOver } = cursor.source
    if (exhausted && (!wait || isOver?.())) this.kill(cursor.id)
    return {
      name,
      documents,
      id: this.#open.has(cursor.id) ? cursor.id : 0n,
      namespace: cursor.source.namespace,
      fields: cursor.source.fields?.(),
    }
  }
}

function takeBatch(cursor: Cursor, batchSize: number): { documents: Buffer[]; exhausted: boolean } {
  const documents: Buffer[] = []
  let bytes = 0
  while (documents.length < batchSize) {
    const document = cursor.held ?? nextOf(cursor)
    cursor.held = undefined
    if (!document) return { documents, exhausted: true }
    if (documents.length > 0 && bytes + document.length > maxBatchBytes) {
      cursor.held = document
      break
    }
    documents.push(document)
    bytes += document.length
  }
  return { documents, exhausted: false }
}

function nextOf(cursor: Cursor): Buffer | undefined {
  const { value, done } = cursor.source.documents.next()
  return done ? undefined : value
}

function newId(taken: Map<bigint, Cursor>): bigint {
  for (;;) {
    const id = BigInt(Math.floor(Math.random() * Number.MAX_SAFE_INTEGER) + 1)
    if (!taken.has(id)) return id
  }
}
