import { type Api, createApi, createRegistry } from '@create-api/core'
import { auditChanges, listAuditEntries, verifyAudit } from '@create-api/core/audit'
import { type Auth } from '@create-api/core/auth'
import {
  addPersonalStore,
  createPersonRouter,
  ErasureIncompleteError,
  ErasureRefusedError,
  erasePerson,
  exportPerson,
  personalData,
  planErasure,
} from '@create-api/core/personal-data'
import { createDocument, deleteDocument, softDelete, versioned } from '@create-api/core/resource'
import { createTenants } from '@create-api/core/tenants'
import { createTestClient, type TestClient, type TestUser } from '@create-api/core/testing'
import mongoose, { model, mongo, Schema, Types } from 'mongoose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const { ObjectId } = Schema.Types
const user = { type: ObjectId, ref: 'User' }
const canary = 'cAnArY'

function defineModels() {
  const Posts = model(
    'Post',
    new Schema(
      { title: String, owner: { ...user, required: true }, secretNote: String },
      { collection: 'posts' },
    )
      .plugin(versioned)
      .plugin(softDelete),
  )
  auditChanges(Posts)
  const Comments = model(
    'Comment',
    new Schema(
      { text: String, name: { type: String, required: true }, author: { ...user, required: true } },
      { collection: 'comments' },
    )
      .plugin(versioned)
      .plugin(personalData, { owner: 'author', onErase: 'anonymize', fields: ['name'] }),
  )
  auditChanges(Comments)
  const Invoices = model(
    'Invoice',
    new Schema(
      { total: Number, customer: { ...user, required: true } },
      { collection: 'invoices' },
    ).plugin(personalData, { owner: 'customer', onErase: 'keep', reason: 'kept for ten years' }),
  )
  const Tasks = model(
    'Task',
    new Schema(
      { title: String, assignee: user, reviewers: [user], items: [{ by: user, what: String }] },
      { collection: 'tasks' },
    ),
  )
  return { Posts, Comments, Invoices, Tasks }
}

let api: Api
let client: TestClient
let auth: Auth
let models: ReturnType<typeof defineModels>
let ada: TestUser
let eve: TestUser
let uploads: string[] = []
let isLocked = false
// Files that are found by the documents which name them.
let files: string[] = []
let onRemove: (file: string) => void = () => {}

addPersonalStore({
  name: 'uploads',
  count: async (id) => uploads.filter((one) => one === id).length,
  async *list(id) {
    for (const one of uploads.filter((other) => other === id)) yield { file: `${one}.png` }
  },
  async erase(id) {
    if (!isLocked) uploads = uploads.filter((one) => one !== id)
  },
})

async function findFiles(id: string): Promise<string[]> {
  const posts = await models.Posts.find({ owner: id }).setOptions({ withDeleted: true }).lean()
  const comments = await models.Comments.find({ author: id }).lean()
  const names = [...posts, ...comments].map(({ _id }) => String(_id))
  return files.filter((file) => names.includes(file))
}

addPersonalStore({
  name: 'attachments',
  count: async (id) => (await findFiles(id)).length,
  async *list(id) {
    for (const file of await findFiles(id)) yield { file }
  },
  async erase(id) {
    for (const file of await findFiles(id)) {
      onRemove(file)
      files = files.filter((other) => other !== file)
    }
  },
})

beforeEach(async () => {
  files = []
  onRemove = () => {}
  models = defineModels()
  api = createApi({
    routes: createRegistry().use('/api/me', createPersonRouter()),
    auth: { apiKeys: {} },
    tenants: createTenants(),
    environment: 'test',
    rateLimit: false,
  })
  client = await createTestClient(api)
  auth = api.auth ?? expect.fail()
  ada = await client.signUp({ email: `${canary}@example.com` })
  eve = await client.signUp()
})

afterEach(async () => {
  await client.stop()
  for (const name of mongoose.connection.modelNames()) mongoose.connection.deleteModel(name)
})

async function fill(): Promise<void> {
  const [mine, other] = [new Types.ObjectId(ada.user.id), new Types.ObjectId(eve.user.id)]
  const { Comments, Invoices, Posts, Tasks } = models
  const post = { title: `${canary} post`, owner: mine, secretNote: `${canary} note` }
  await createDocument(Posts, post, { scope: {} })
  const { _id } = await createDocument(Posts, { ...post, title: `${canary} gone` }, { scope: {} })
  await deleteDocument(Posts, { _id }, { scope: {}, match: {} })
  await createDocument(Posts, { title: 'other', owner: other }, { scope: {} })
  await createDocument(Comments, { text: 'stays', name: canary, author: mine }, { scope: {} })
  await Invoices.create({ total: 1, customer: mine })
  await Tasks.create({
    title: 'a',
    assignee: mine,
    reviewers: [mine, other],
    items: [
      { by: other, what: 'x' },
      { by: mine, what: 'y' },
    ],
  })
  await Tasks.create({
    title: 'b',
    assignee: other,
    reviewers: [other],
    items: [{ by: other, what: 'z' }],
  })
  await client.createKey(ada, ['user'])
  uploads = [ada.user.id, eve.user.id]
  const organization = await api.tenants?.create('Acme', eve.user.id)
  await api.tenants?.addMember({ organization: organization?.id ?? '', user: ada.user.id })
}

async function readAll(): Promise<string> {
  const names = await mongoose.connection.listCollections()
  const all = await Promise.all(
    names.map(({ name }) => mongoose.connection.collection(name).find().toArray()),
  )
  return Buffer.from(mongo.BSON.serialize({ all })).toString('latin1')
}

describe('planErasure', () => {
  it('lists what would go and what stays, and changes nothing', async () => {
    await fill()
    const before = await readAll()
    const plan = await planErasure(auth, ada.user.id)
    expect(await readAll()).toBe(before)
    expect(plan.open).toEqual([])
    expect(plan.steps).toEqual(
      expect.arrayContaining([
        { collection: 'posts', action: 'delete', documents: 2 },
        { collection: 'comments', action: 'anonymize', documents: 1 },
        { collection: 'invoices', action: 'keep', documents: 1, reason: 'kept for ten years' },
        { collection: 'tasks', action: 'unset', path: 'assignee', documents: 1 },
        { collection: 'tasks', action: 'unset', path: 'reviewers', documents: 1 },
        { collection: 'tasks', action: 'unset', path: 'items.by', documents: 1 },
        { collection: 'uploads', action: 'delete', documents: 1 },
        { collection: 'sessions', action: 'delete', documents: 1 },
        { collection: 'apikeys', action: 'delete', documents: 1 },
        { collection: 'memberships', action: 'delete', documents: 1 },
      ]),
    )
    expect(plan.steps.at(-1)).toEqual({ collection: 'users', action: 'delete', documents: 1 })
    await expect(planErasure(auth, '65f0c0ffee0123456789abcd')).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

describe('exportPerson', () => {
  it('contains what belongs to the person, and no secrets or data of others', async () => {
    await fill()
    const lines: unknown[] = []
    for await (const line of exportPerson(auth, ada.user.id)) lines.push(line)
    const text = JSON.stringify(lines)
    expect(lines).toContainEqual(
      expect.objectContaining({
        collection: 'users',
        relation: 'account',
        document: expect.objectContaining({ email: `${canary}@example.com`.toLowerCase() }),
      }),
    )
    for (const part of [
      `${canary} post`,
      `${canary} gone`,
      'stays',
      '.png',
      '"assignee"',
      '"lastFour"',
    ]) {
      expect(text).toContain(part)
    }
    for (const part of [
      `${canary} note`,
      'other',
      '"hash"',
      '"salt"',
      'passwordHash',
      eve.user.email,
    ]) {
      expect(text).not.toContain(part)
    }
  })
})

describe('erasePerson', () => {
  it('leaves nothing of the person, and chains that can be verified', async () => {
    await fill()
    await erasePerson(auth, ada.user.id)
    const { Comments, Invoices, Posts, Tasks } = models
    const stored = await readAll()
    expect(stored).not.toContain(canary)
    expect(stored.toLowerCase()).not.toContain(`${canary}@example.com`.toLowerCase())
    expect(await Posts.find().setOptions({ withDeleted: true }).lean()).toMatchObject([
      { title: 'other' },
    ])
    expect(await Comments.find().lean()).toMatchObject([{ text: 'stays', name: 'erased', __v: 1 }])
    expect(await Invoices.countDocuments({ customer: ada.user.id })).toBe(1)
    const [first, second] = await Tasks.find().sort({ title: 1 }).lean()
    expect(first).toMatchObject({ assignee: null, items: [{ what: 'x' }, { by: null, what: 'y' }] })
    expect(first?.reviewers.map(String)).toEqual([eve.user.id])
    expect(second).toMatchObject({ items: [{ what: 'z' }] })
    expect(String(second?.assignee)).toBe(eve.user.id)
    expect(uploads).toEqual([eve.user.id])
    expect((await verifyAudit()).faults).toEqual([])
    expect((await listAuditEntries()).filter(({ action }) => action === 'erased')).toHaveLength(3)
    for (const name of ['sessions', 'apikeys', 'memberships']) {
      const own = { $or: [{ userId: ada.user.id }, { user: ada.user.id }] }
      const count = await mongoose.connection.collection(name).countDocuments(own)
      expect([name, count]).toEqual([name, 0])
    }
    await expect(planErasure(auth, ada.user.id)).rejects.toMatchObject({ code: 'not_found' })
  })

  async function attachFiles(): Promise<void> {
    await fill()
    const posts = await models.Posts.find().setOptions({ withDeleted: true }).lean()
    const comments = await models.Comments.find().lean()
    files = [...posts, ...comments].map(({ _id }) => String(_id))
  }

  it('removes the files that are found by the documents, of the person only', async () => {
    await attachFiles()
    const { steps } = await planErasure(auth, ada.user.id)
    expect(steps[0]).toEqual({ collection: 'uploads', action: 'delete', documents: 1 })
    expect(steps[1]).toEqual({ collection: 'attachments', action: 'delete', documents: 3 })
    await erasePerson(auth, ada.user.id)
    const [other] = await models.Posts.find().lean()
    expect(files).toEqual([String(other?._id)])
  })

  it('is repeated after a store has failed half-way', async () => {
    await attachFiles()
    let removed = 0
    onRemove = () => {
      if ((removed += 1) === 2) throw new Error('The disk does not respond.')
    }
    await expect(erasePerson(auth, ada.user.id)).rejects.toThrow('The disk does not respond.')
    expect(files).toHaveLength(3)
    expect((await planErasure(auth, ada.user.id)).started).toBe(true)
    await erasePerson(auth, ada.user.id)
    expect(files).toHaveLength(1)
  })

  it('says what is left, and goes on with it', async () => {
    await fill()
    isLocked = true
    const erased = erasePerson(auth, ada.user.id)
    await expect(erased).rejects.toBeInstanceOf(ErasureIncompleteError)
    await expect(erased).rejects.toMatchObject({
      message: expect.stringContaining('What is left: uploads delete'),
      left: [{ collection: 'uploads', action: 'delete' }],
    })
    isLocked = false
    await erasePerson(auth, ada.user.id)
    expect(uploads).toEqual([eve.user.id])
  })

  it('refuses before it changes anything where something has to be decided', async () => {
    await fill()
    const Orders = model(
      'Order',
      new Schema({ buyer: { ...user, required: true } }, { collection: 'orders' }),
    )
    await Orders.create({ buyer: ada.user.id })
    const organization = await api.tenants?.create('Solo', ada.user.id)
    const before = await readAll()
    const refused = erasePerson(auth, ada.user.id)
    await expect(refused).rejects.toBeInstanceOf(ErasureRefusedError)
    await expect(refused).rejects.toMatchObject({
      open: [
        { collection: 'orders', path: 'buyer', documents: 1 },
        { collection: 'memberships', problem: expect.stringContaining(String(organization?.id)) },
      ],
    })
    expect(await readAll()).toBe(before)
    const admin = await client.signUp({ roles: ['admin'] })
    await expect(erasePerson(auth, admin.user.id)).rejects.toMatchObject({
      code: 'last_administrator',
    })
    expect((await auth.users.findById(admin.user.id))?.disabled).toBe(false)
  })

  it('completes an erasure that was interrupted, at any of its writes', async () => {
    await fill()
    let interruptions = 0
    for (let after = 1; ; after += 2) {
      const restore = failAfter(after)
      try {
        await erasePerson(auth, ada.user.id)
        restore()
        break
      } catch (error) {
        restore()
        expect(String(error)).toContain('interrupted')
        interruptions += 1
        expect((await verifyAudit()).faults).toEqual([])
      }
    }
    expect(interruptions).toBeGreaterThan(3)
    expect(await readAll()).not.toContain(canary)
    expect((await verifyAudit()).faults).toEqual([])
    expect(
      await mongoose.connection.collection('erasures').countDocuments({ finishedAt: null }),
    ).toBe(0)
  })
})

// Lets the writes after some of them fail, as if the process had ended.
function failAfter(writes: number): () => void {
  const prototype = mongo.Collection.prototype
  const names = [
    'updateOne',
    'updateMany',
    'deleteOne',
    'deleteMany',
    'insertOne',
    'replaceOne',
  ] as const
  const originals = names.map((name) => [name, Reflect.get(prototype, name)] as const)
  let count = 0
  for (const [name, original] of originals) {
    Reflect.set(prototype, name, function write(this: unknown, ...args: unknown[]) {
      count += 1
      if (count > writes) return Promise.reject(new Error('interrupted'))
      return Reflect.apply(original, this, args)
    })
  }
  return () => {
    for (const [name, original] of originals) Reflect.set(prototype, name, original)
  }
}

describe('createPersonRouter', () => {
  it('sends the data of the caller, and erases the caller', async () => {
    await fill()
    const { request } = client
    await request.get('/api/me/data').expect(401)
    const sent = await request.get('/api/me/data').set(ada.headers).expect(200)
    expect(sent.headers['content-type']).toBe('application/x-ndjson')
    const text = sent.text ?? String(sent.body)
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).relation),
    ).toContain('account')
    expect(text).not.toContain(eve.user.email)
    const key = await client.createKey(ada, ['user'])
    await request.delete('/api/me').set(key.headers).expect(403)
    await request.delete('/api/me').set(ada.headers).expect(204)
    await request.get('/api/v1/auth/me').set(ada.headers).expect(401)
    await request.get('/api/v1/auth/me').set(eve.headers).expect(200)
    expect(await readAll()).not.toContain(canary)
    const organization = await api.tenants?.create('Solo', eve.user.id)
    expect(organization).toBeDefined()
    const { body } = await request.delete('/api/me').set(eve.headers).expect(409)
    expect(body.detail).toContain('Other data depends on the account')
  })
})

describe('personalData', () => {
  it('rejects decisions without a reason, and fields that are not emptied', () => {
    const schema = new Schema({ owner: user })
    expect(() => schema.plugin(personalData, { onErase: 'keep' })).toThrow('needs a reason')
    expect(() => schema.plugin(personalData, { fields: ['name'] })).toThrow(
      "are for onErase: 'anonymize'",
    )
    const store = {
      name: 'uploads',
      count: async () => 0,
      list: async function* list() {},
      erase: async () => {},
    }
    expect(() => addPersonalStore(store)).toThrow('another store of personal data called uploads')
  })
})
