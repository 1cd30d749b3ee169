import { setTimeout as wait } from 'node:timers/promises'
import { type Document, deserialize, Long, serialize, UUID } from 'bson'
import { write } from '../differential/compare.ts'
import { type Wire } from '../differential/wire.ts'
import { type CorpusCase, type Expectation, missing, Saved, type Step } from './read-corpus.ts'

const databaseName = 'corpus'
const notImplemented = 238
const untilMs = 20_000

/** A server, and whether it may refuse what the embedded database does not have. */
export interface CorpusServer {
  readonly wire: Wire
  readonly isEmbedded: boolean
}

/**
 * Runs a case in an empty database.
 * @returns what is not as expected; empty when all is
 */
export async function runCorpusCase(server: CorpusServer, item: CorpusCase): Promise<string[]> {
  const context = new Context(server.wire)
  try {
    await prepare(context, item)
    const steps = item.steps ?? (item.run ? [{ ...item, run: item.run }] : [])
    for (const step of steps) {
      const fault = await runStep(context, step, server.isEmbedded)
      if (fault !== undefined) return [fault]
      if (step.refused !== undefined && server.isEmbedded) return []
    }
    return item.leaves ? await checkContent(context, item.leaves) : []
  } finally {
    await context.abort()
  }
}

async function prepare(context: Context, item: CorpusCase): Promise<void> {
  const { options, indexes = [], documents = [], others = {} } = item
  await context.succeed({ dropDatabase: 1 })
  if (options) await context.succeed({ create: 'items', ...options })
  if (indexes.length > 0) await context.succeed(toCreateIndexes(indexes))
  for (const [name, content] of Object.entries({ items: documents, ...others })) {
    if (content.length > 0) await context.succeed({ insert: name, documents: content })
  }
}

function toCreateIndexes(indexes: readonly Document[]): Document {
  return {
    createIndexes: 'items',
    indexes: indexes.map((index, number) => ({ name: `index${number}`, ...index })),
  }
}

async function runStep(
  context: Context,
  step: Step,
  isEmbedded: boolean,
): Promise<string | undefined> {
  const end = Date.now() + untilMs
  const before: Document[] = []
  for (;;) {
    const reply = await context.run(step, before)
    const refused = isEmbedded ? step.refused : undefined
    const fault = refused === undefined ? findFault(reply, step) : findNoRefusal(reply, refused)
    if (fault === undefined) return undefined
    if (step.until !== true || Date.now() > end) {
      return `${write(reply)}\n  of ${write(context.fill(step.run))}\n  ${fault}`
    }
    await wait(50)
  }
}

function findNoRefusal(reply: Document, feature: string): string | undefined {
  const isRefusal = Number(reply['code']) === notImplemented
  if (isRefusal && String(reply['errmsg']).includes(feature)) return undefined
  return `should refuse ${feature} by name`
}

function findFault(
  reply: Document,
  { gives, reply: part, error }: Expectation,
): string | undefined {
  const failure = findFailure(reply)
  if (error !== undefined) return findWrongError(failure, String(error)) ?? findOther(reply, part)
  if (failure) return 'should succeed'
  if (gives !== undefined && showGiven(reply, gives) !== write(exact(gives))) {
    return `should give ${write(exact(gives))}`
  }
  return findOther(reply, part)
}

function findOther(reply: Document, part: Document | undefined): string | undefined {
  const path = part && findMismatch(reply, part, 'reply')
  return path && `should have another ${path}: ${write(exact(part))}`
}

function findFailure(reply: Document): Document | undefined {
  const [first] = (reply['writeErrors'] ?? []) as Document[]
  return first ?? (Number(reply['ok']) === 1 ? reply['writeConcernError'] : reply)
}

function findWrongError(failure: Document | undefined, expected: string): string | undefined {
  const [code, name] = expected.split(' ')
  const isCode = Number(failure?.['code']) === Number(code)
  return isCode && (name === undefined || failure?.['codeName'] === name)
    ? undefined
    : `should fail with ${expected}`
}

function showGiven({ cursor }: Document, gives: readonly unknown[]): string {
  const batch: Document[] = cursor?.firstBatch ?? cursor?.nextBatch ?? []
  const areIds = gives.length > 0 && !gives.some((item) => isPlain(item))
  return write(areIds ? batch.map(({ _id }) => _id as unknown) : batch)
}

// Types as a server sends them: 1 is an int, 1.5 a double.
function exact(value: unknown): unknown {
  const options = { promoteValues: false, bsonRegExp: true }
  return deserialize(serialize({ value }), options)['value']
}

function findMismatch(found: unknown, expected: unknown, path: string): string | undefined {
  if (expected === missing) return found === undefined ? undefined : path
  if (Array.isArray(expected)) {
    if (!Array.isArray(found) || found.length !== expected.length) return path
    return firstOf(expected.map((item, i) => findMismatch(found[i], item, `${path}.${i}`)))
  }
  if (!isPlain(expected)) return write(found) === write(exact(expected)) ? undefined : path
  if (!isPlain(found)) return path
  return firstOf(
    Object.entries(expected as Document).map(([name, item]) =>
      findMismatch((found as Document)[name], item, `${path}.${name}`),
    ),
  )
}

function firstOf(list: (string | undefined)[]): string | undefined {
  return list.find((item) => item !== undefined)
}

async function checkContent(context: Context, leaves: readonly Document[]): Promise<string[]> {
  const { cursor } = await context.succeed({ find: 'items', sort: { _id: 1 } })
  const found = write(cursor.firstBatch)
  const expected = write(exact(leaves))
  return found === expected ? [] : [`leaves ${found}\n  instead of ${expected}`]
}

function isPlain(value: unknown): boolean {
  return Object.getPrototypeOf(value ?? 0) === Object.prototype
}

const ends = new Set(['commitTransaction', 'abortTransaction'])

// The sessions and saved values of a case.
class Context {
  readonly #wire: Wire
  readonly #sessions = new Map<string, UUID>()
  readonly #open = new Set<string>()
  readonly #started = new Set<string>()
  readonly #saved = new Map<string, unknown>()

  constructor(wire: Wire) {
    this.#wire = wire
  }

  // `before`: what earlier batches of a repeated step have returned.
  async run(step: Step, before: Document[] = []): Promise<Document> {
    const name = Object.keys(step.run)[0] ?? ''
    const isEnd = ends.has(name)
    const cursor = name === 'aggregate' && !('explain' in step.run) ? { cursor: {} } : {}
    const command = { ...cursor, ...this.#sessionFields(step.in, isEnd) }
    const database = step.database ?? (isEnd ? 'admin' : databaseName)
    const filled = this.fill(step.run) as Document
    const reply = await this.#wire.run(database, { ...filled, ...withoutKnown(command, filled) })
    if (reply['cursor']?.nextBatch) {
      before.push(...reply['cursor'].nextBatch)
      reply['cursor'].nextBatch = [...before]
    }
    for (const [key, path] of Object.entries(step.save ?? {})) {
      this.#saved.set(
        key,
        path.split('.').reduce<unknown>((at, part) => (at as Document)?.[part], reply),
      )
    }
    return reply
  }

  async succeed(command: Document): Promise<Document> {
    const reply = await this.#wire.run(databaseName, command)
    if (findFailure(reply)) throw new Error(`${write(command)}: ${write(reply)}`)
    return reply
  }

  // Locks of a transaction that is left open would block the next case.
  async abort(): Promise<void> {
    for (const transaction of this.#open) {
      await this.#wire.run('admin', {
        abortTransaction: 1,
        ...this.#sessionFields(transaction, true),
      })
    }
  }

  fill(value: unknown): unknown {
    if (value instanceof Saved) return this.#saved.get(value.name)
    if (Array.isArray(value)) return value.map((item) => this.fill(item))
    if (!isPlain(value)) return value
    return Object.fromEntries(Object.entries(value as Document).map(([k, v]) => [k, this.fill(v)]))
  }

  #sessionFields(place: string | undefined, isEnd: boolean): Document {
    if (place === undefined) return {}
    const [session = '', number] = place.split('/')
    const id = this.#sessions.get(session) ?? new UUID()
    this.#sessions.set(session, id)
    const lsid = { id: id.toBinary() }
    if (number === undefined) return { lsid }
    const isFirst = !isEnd && !this.#started.has(place)
    if (!isEnd) this.#started.add(place)
    if (isEnd) this.#open.delete(place)
    else this.#open.add(place)
    const start = isFirst ? { startTransaction: true } : {}
    return { lsid, txnNumber: Long.fromString(number), ...start, autocommit: false }
  }
}

function withoutKnown(fields: Document, command: Document): Document {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !(name in command)))
}
