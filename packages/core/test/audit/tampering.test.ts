import { isDeepStrictEqual } from 'node:util'
import mongoose, { model, mongo, Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { auditChanges, verifyAudit } from '../../src/audit.ts'
import {
  createDocument,
  deleteDocument,
  patchDocument,
  toPatchSchema,
  versioned,
} from '../../src/resource.ts'
import { createRandom } from '../random.ts'
import { collection, setSecret, useDatabase } from './fixture.ts'

useDatabase()

const everything = { scope: {}, match: {} } as const
const schema = toPatchSchema(z.strictObject({ title: z.string(), tags: z.array(z.string()) }))

interface Stored {
  readonly entries: mongo.Document[]
  readonly heads: mongo.Document[]
}

async function read(): Promise<Stored> {
  const [entries = [], heads = []] = await Promise.all(
    ['audit_entries', 'audit_heads'].map((name) =>
      collection(name).find().sort({ _id: 1 }).toArray(),
    ),
  )
  return { entries, heads }
}

async function write({ entries, heads }: Stored): Promise<void> {
  for (const [name, documents] of [
    ['audit_entries', entries],
    ['audit_heads', heads],
  ] as const) {
    await collection(name).deleteMany({})
    if (documents.length > 0) await collection(name).insertMany(documents)
  }
}

async function fillTrail() {
  const Papers = model(
    'Paper',
    new Schema(
      { title: String, tags: [String], password: String },
      { collection: 'papers' },
    ).plugin(versioned),
  )
  auditChanges(Papers)
  const ids: unknown[] = []
  for (const title of ['One', 'Two']) {
    const input = { title, tags: ['a'], password: 'x' }
    const { _id: id } = await createDocument(Papers, input, { scope: {} })
    for (const tags of [['b'], [], ['c', 'd']]) {
      const changes = { schema, input: { tags, title: `${title} ${tags.join('')}` } }
      await patchDocument(Papers, { _id: id }, { ...everything, ...changes })
    }
    ids.push(id)
  }
  await deleteDocument(Papers, { _id: ids[1] }, everything)
  return { Papers, id: ids[0] }
}

type Path = readonly (string | number)[]

function listPaths(value: unknown, path: Path = []): Path[] {
  if (!isBranch(value)) return [path]
  const below = Object.entries(value).flatMap(([key, member]) => listPaths(member, [...path, key]))
  return path.length === 0 ? below : [path, ...below]
}

function isBranch(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    !('_bsontype' in value) &&
    !(value instanceof Date)
  )
}

function withChange(
  document: mongo.Document,
  path: Path,
  change: (parent: object, key: string) => void,
) {
  const copy = mongo.BSON.deserialize(mongo.BSON.serialize(document))
  const parent = path.slice(0, -1).reduce<unknown>((inner, key) => Object(inner)[key], copy)
  change(Object(parent), String(path.at(-1)))
  return copy
}

const other = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 1
  if (value instanceof Date) return new Date(value.valueOf() + 1)
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return [...value, 'added']
  return typeof value === 'string' ? `${value}x` : new mongo.ObjectId()
}

interface Tampering {
  readonly name: string
  readonly stored: Stored
}

// Each field of each entry and head changed and removed, members added, and entries removed, doubled, swapped and moved.
function* listTamperings({ entries, heads }: Stored): Generator<Tampering> {
  const replaced = (list: mongo.Document[], at: number, ...items: mongo.Document[]) =>
    list.toSpliced(at, 1, ...items)
  for (const [at, entry] of entries.entries()) {
    const tamper = (path: Path, change: (parent: object, key: string) => void): Stored => ({
      entries: replaced(entries, at, withChange(entry, path, change)),
      heads,
    })
    for (const path of listPaths(entry)) {
      const name = `entry ${at}: ${path.join('.')}`
      yield {
        name: `${name} changed`,
        stored: tamper(path, (parent, key) =>
          Reflect.set(parent, key, other(Reflect.get(parent, key))),
        ),
      }
      if (path.length > 0 && path[0] !== '_id') {
        yield {
          name: `${name} removed`,
          stored: tamper(path, (parent, key) => void Reflect.deleteProperty(parent, key)),
        }
      }
      yield {
        name: `${name}: member added`,
        stored: tamper(path, (parent) => {
          if (Array.isArray(parent)) parent.push('added')
          else Reflect.set(parent, 'added', 1)
        }),
      }
    }
    const _id = new mongo.ObjectId()
    yield { name: `entry ${at} removed`, stored: { entries: replaced(entries, at), heads } }
    yield {
      name: `entry ${at} doubled`,
      stored: { entries: [...entries, { ...entry, _id, sequence: 99 }], heads },
    }
    const { sequence } = entry
    const next = entries[at + 1]
    if (next && next['document'] === entry['document']) {
      const swapped = [
        { ...entry, sequence: next['sequence'] },
        { ...next, sequence },
      ]
      yield {
        name: `entry ${at} swapped`,
        stored: { entries: entries.toSpliced(at, 2, ...swapped), heads },
      }
      const values = [
        { ...entry, changes: next['changes'] },
        { ...next, changes: entry['changes'] },
      ]
      yield {
        name: `changes ${at} swapped`,
        stored: { entries: entries.toSpliced(at, 2, ...values), heads },
      }
    }
    const own = entries.filter((one) => one['document'] === entry['document'])
    const tail = own.filter((one) => one['sequence'] >= sequence)
    const before = own.find((one) => one['sequence'] === sequence - 1)
    const shorter = heads.map((head) =>
      head['_id'] === entry['document'] && before
        ? { ...head, sequence: sequence - 1, hash: before['hash'] }
        : head,
    )
    const rest = entries.filter((one) => !tail.includes(one))
    yield { name: `tail from ${at} removed`, stored: { entries: rest, heads } }
    if (before)
      yield {
        name: `tail from ${at} removed, with the head`,
        stored: { entries: rest, heads: shorter },
      }
  }
  for (const [at, head] of heads.entries()) {
    yield { name: `head ${at} removed`, stored: { entries, heads: replaced(heads, at) } }
    for (const path of listPaths(head).filter(([key]) => key !== '_id')) {
      const [key = ''] = path
      const changed = withChange(head, path, (parent, name) =>
        Reflect.set(parent, name, other(Reflect.get(parent, name))),
      )
      yield {
        name: `head ${at}: ${key} changed`,
        stored: { entries, heads: replaced(heads, at, changed) },
      }
    }
  }
}

describe('verifyAudit', () => {
  it('finds every change of a stored entry, its removal, addition and order', async () => {
    await fillTrail()
    const original = await read()
    expect(await verifyAudit()).toMatchObject({ documents: 2, entries: 9, faults: [] })
    const all = [...listTamperings(original)].filter(
      ({ stored }) => !isDeepStrictEqual(stored, original),
    )
    expect(all.length).toBeGreaterThan(400)
    // Who can write to the database can also drop the unique index.
    await collection('audit_entries').dropIndexes()
    // All of them with FULL_TESTS, and a part that differs from run to run otherwise.
    const count = Number(process.env['TAMPERINGS'] ?? all.length)
    const { below } = createRandom(Number(process.env['SEED'] ?? Date.now()))
    const chosen =
      all.length > count ? Array.from({ length: count }, () => all[below(all.length)]) : all
    for (const tampering of chosen) {
      if (!tampering) continue
      await write(tampering.stored)
      const { faults } = await verifyAudit()
      expect([tampering.name, faults.length > 0]).toEqual([tampering.name, true])
    }
    await write(original)
    expect((await verifyAudit()).faults).toEqual([])
  })

  it.each([
    ['a head that was removed', async () => collection('audit_heads').deleteMany({})],
    [
      'a head that was changed',
      async () => collection('audit_heads').updateMany({}, { $set: { sequence: 2 } }),
    ],
    [
      'a chain that was cut',
      async () => {
        await collection('audit_entries').deleteMany({ sequence: { $gt: 3 } })
        const last = await collection('audit_entries').findOne({ sequence: 3 })
        return collection('audit_heads').updateMany(
          {},
          { $set: { sequence: 3, hash: last?.['hash'] } },
        )
      },
    ],
  ])('still finds %s after the document was changed again', async (_name, tamper) => {
    const { Papers, id } = await fillTrail()
    await tamper()
    const changes = { schema, input: { title: 'Later' } }
    await patchDocument(Papers, { _id: id }, { ...everything, ...changes })
    const { faults } = await verifyAudit({ collection: 'papers', id: String(id) })
    expect(faults).toContainEqual(expect.objectContaining({ code: 'head_changed' }))
  })

  it('finds a chain that was computed again without the secret', async () => {
    const { Papers } = await fillTrail()
    mongoose.connection.deleteModel('Paper')
    await mongoose.connection.dropDatabase()
    const secret = process.env['AUDIT_SECRET']
    setSecret(undefined)
    const { id } = await fillTrail()
    expect(await verifyAudit()).toMatchObject({ signed: false, faults: [] })
    mongoose.connection.deleteModel('Paper')
    setSecret(secret)
    const Again = model('Paper', Papers.schema)
    auditChanges(Again)
    const { faults } = await verifyAudit({ collection: 'papers', id: String(id) })
    expect(faults).toContainEqual(expect.objectContaining({ code: 'unsigned' }))
  })
})
