import mongoose, { model, Schema, type Types } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { auditChanges, listAuditEntries, purgeAudit, verifyAudit } from '../../src/audit.ts'
import {
  createDocument,
  deleteDocument,
  patchDocument,
  restoreDocument,
  softDelete,
  toPatchSchema,
  versioned,
} from '../../src/resource.ts'
import { readAuditKeys } from '../../src/lib/audit/audit-key.ts'
import { hashEntry, sealHead } from '../../src/lib/audit/audit-store.ts'
import { collection, entries, setSecret, useDatabase } from './fixture.ts'

useDatabase()

const everything = { scope: {}, match: {} } as const

const note = z.strictObject({
  title: z.string(),
  views: z.number().optional(),
  password: z.string().optional(),
  address: z.strictObject({ city: z.string(), secretCode: z.string().optional() }).optional(),
})
const schema = toPatchSchema(note)

function defineNotes(options: Parameters<typeof auditChanges>[1] = {}) {
  const noteSchema = new Schema(
    {
      title: String,
      views: Number,
      password: String,
      hidden: { type: String, select: false },
      people: [{ name: String, pin: { type: String, select: false } }],
      address: { city: String, secretCode: String },
    },
    { timestamps: true, collection: 'notes' },
  )
    .plugin(versioned)
    .plugin(softDelete)
  const Notes = model('Note', noteSchema)
  auditChanges(Notes, options)
  return Notes
}

describe('auditChanges', () => {
  it('records creation, changes, deletion and restoration with the fields before and after', async () => {
    const Notes = defineNotes()
    const created = await createDocument(
      Notes,
      { title: 'One', address: { city: 'Oslo' } },
      { scope: {} },
    )
    const filter = { _id: created._id }
    const input = { title: 'Two', address: { city: 'Bergen' } }
    await patchDocument(Notes, filter, { ...everything, schema, input })
    await patchDocument(Notes, filter, { ...everything, schema, input: {} })
    await deleteDocument(Notes, filter, everything)
    await restoreDocument(Notes, filter, { scope: {} })
    const list = await listAuditEntries({ collection: 'notes', id: String(created._id) })
    expect(list.map(({ action, sequence, version }) => [sequence, action, version])).toEqual([
      [4, 'restored', 3],
      [3, 'deleted', 1],
      [2, 'changed', 1],
      [1, 'created', 0],
    ])
    expect(list[2]?.changes).toEqual([
      { path: 'title', before: 'One', after: 'Two' },
      { path: 'address.city', before: 'Oslo', after: 'Bergen' },
    ])
    expect(list[3]?.changes).toContainEqual({ path: 'title', after: 'One' })
    expect(list[0]?.caller).toBeUndefined()
    expect(await verifyAudit()).toEqual({ documents: 1, entries: 4, signed: true, faults: [] })
  })

  it('stores no value of masked, unselected and secret fields, at any depth', async () => {
    const Notes = defineNotes({ mask: ['views', 'people.name'], except: ['title'] })
    const canary = 'cAnArY'
    const created = await createDocument(
      Notes,
      {
        title: `${canary}0`,
        views: 123_454_321,
        password: `${canary}1`,
        hidden: `${canary}2`,
        people: [{ name: `${canary}3`, pin: `${canary}4` }],
        address: { city: 'Oslo', secretCode: `${canary}5` },
      },
      { scope: {} },
    )
    const input = { password: `${canary}6`, address: { secretCode: `${canary}7` } }
    await patchDocument(Notes, { _id: created._id }, { ...everything, schema, input })
    await deleteDocument(Notes, { _id: created._id }, everything)
    const stored = await entries()
    const bytes = Buffer.from(mongoose.mongo.BSON.serialize({ stored })).toString('latin1')
    expect(bytes).not.toContain(canary)
    expect(bytes).toContain('Oslo')
    expect(JSON.stringify(stored)).not.toContain('123454321')
    const [, changed] = await listAuditEntries({ user: undefined })
    expect(changed?.changes).toEqual([
      { path: 'password', hidden: 'masked' },
      { path: 'address.secretCode', hidden: 'masked' },
    ])
    expect((await verifyAudit()).faults).toEqual([])
  })

  it('stores values of fields that unmask names', async () => {
    const Notes = defineNotes({ unmask: ['password'] })
    await createDocument(Notes, { title: 'One', password: 'shown' }, { scope: {} })
    expect(JSON.stringify(await entries())).toContain('shown')
  })

  it('records nothing of a transaction that is aborted', async () => {
    const Notes = defineNotes()
    const invalid = createDocument(Notes, { title: 'One', views: 'many' }, { scope: {} })
    await expect(invalid).rejects.toThrow('views')
    mongoose.set('transactionAsyncLocalStorage', true)
    const aborted = mongoose.connection.transaction(async () => {
      await createDocument(Notes, { title: 'One' }, { scope: {} })
      throw new Error('abort')
    })
    await expect(aborted).rejects.toThrow('abort')
    mongoose.set('transactionAsyncLocalStorage', false)
    expect(await entries()).toEqual([])
    expect(await collection('audit_heads').countDocuments()).toBe(0)
  })

  it('keeps one chain for a document that is changed at the same time', async () => {
    const Notes = defineNotes()
    const created = await createDocument(Notes, { title: '0' }, { scope: {} })
    const changeTo = (n: number): Promise<unknown> =>
      patchDocument(
        Notes,
        { _id: created._id },
        { ...everything, schema, input: { title: `${n}` } },
      )
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, at) => changeTo(at + 1)),
    )
    const changed = results.filter(({ status }) => status === 'fulfilled').length
    expect(changed).toBe(12)
    const stored = await entries()
    expect(stored.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 13 }, (_, at) => at + 1),
    )
    // Each entry begins with what the one before ended with.
    const values = stored.map(({ changes }) => changes[0])
    expect(values.slice(1).map(({ before }) => before.value)).toEqual(
      values.slice(0, -1).map(({ after }) => after.value),
    )
    expect((await verifyAudit()).faults).toEqual([])
  })

  it('rejects options and secrets that are not valid, and a second call', () => {
    expect(() => defineNotes({ keep: '2w' })).toThrow('keep must be a number of days or years')
    mongoose.connection.deleteModel('Note')
    const Notes = defineNotes()
    expect(() => auditChanges(Notes)).toThrow('Note is audited already')
    mongoose.connection.deleteModel('Note')
    setSecret('short')
    expect(() => defineNotes()).toThrow('AUDIT_SECRET must encode at least 32 random bytes')
  })

  it('verifies entries of former secrets, and reports those of unknown ones', async () => {
    const former = String(process.env['AUDIT_SECRET'])
    const other = 'm27A9sXdl7GgeKrMwy3U6vZH5UeR1AixByUHg7v32_d2'
    await createDocument(defineNotes(), { title: 'One' }, { scope: {} })
    mongoose.connection.deleteModel('Note')
    setSecret(`${other},${former}`)
    const Notes = defineNotes()
    const [first] = await Notes.find().lean()
    await patchDocument(
      Notes,
      { _id: first?._id },
      { ...everything, schema, input: { title: 'Two' } },
    )
    expect((await verifyAudit()).faults).toEqual([])
    mongoose.connection.deleteModel('Note')
    setSecret(other)
    defineNotes()
    expect((await verifyAudit()).faults.map(({ code }) => code)).toEqual(['key_unknown'])
    mongoose.connection.deleteModel('Note')
    setSecret(undefined)
    defineNotes()
    expect((await verifyAudit()).signed).toBe(false)
  })

  it('explains that no model is audited, or none with a collection', async () => {
    defineNotes()
    await expect(verifyAudit({ collection: 'nots' })).rejects.toThrow(
      'No audited model is called nots, and none has such a collection. Audited: notes.',
    )
  })
})

describe('purgeAudit', () => {
  it('removes entries older than keep, and the chain stays verifiable', async () => {
    const Notes = defineNotes({ keep: '30d' })
    const ids = await Promise.all(
      ['One', 'Two'].map(
        async (title) => (await createDocument(Notes, { title }, { scope: {} }))._id,
      ),
    )
    await change(Notes, ids[0], 'Three')
    expect(await purgeAudit()).toEqual({ removed: 0, broken: [] })
    await age(String(ids[0]), 1)
    await age(String(ids[1]), 1)
    expect((await verifyAudit()).faults).toEqual([])
    expect(await purgeAudit()).toEqual({ removed: 2, broken: [] })
    expect((await entries()).map(({ sequence }) => sequence)).toEqual([2])
    await change(Notes, ids[0], 'Four')
    await change(Notes, ids[1], 'Five')
    expect(await verifyAudit()).toMatchObject({ documents: 2, entries: 3, faults: [] })
    expect((await entries()).filter((entry) => entry['afterFault'])).toEqual([])
  })

  it('keeps chains that are broken, and those of models without keep', async () => {
    const Notes = defineNotes({ keep: '30d' })
    const { _id: id } = await createDocument(Notes, { title: 'One' }, { scope: {} })
    await collection('audit_entries').updateMany({}, { $set: { at: new Date(0) } })
    expect(await purgeAudit()).toEqual({ removed: 0, broken: [`notes/${String(id)}`] })
    expect(await entries()).toHaveLength(1)
  })
})

type Notes = ReturnType<typeof defineNotes>

async function change(Notes: Notes, id: Types.ObjectId | undefined, title: string): Promise<void> {
  await patchDocument(Notes, { _id: id }, { ...everything, schema, input: { title } })
}

// Makes an entry older, and signs the chain again as the service would have.
async function age(id: string, sequence: number): Promise<void> {
  const { current } = readAuditKeys()
  const document = `notes/${id}`
  let previous = ''
  for (const entry of (await entries()).filter((one) => one['document'] === document)) {
    const { _id, hash: _hash, ...rest } = entry
    const isOld = entry['sequence'] === sequence
    const values = Object({ _id, ...rest, previous, ...(isOld && { at: new Date(0) }) })
    previous = hashEntry(current, values)
    await collection('audit_entries').replaceOne({ _id }, { ...Object(values), hash: previous })
  }
  const isHead = { $expr: { $eq: ['$_id', document] } }
  const head = await collection('audit_heads').findOne(isHead)
  const end = Object({ ...head, hash: previous })
  const seal = sealHead(current, end)
  await collection('audit_heads').updateOne(isHead, { $set: { hash: previous, seal } })
}
