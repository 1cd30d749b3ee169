import { setTimeout as sleep } from 'node:timers/promises'
import { createRegistry, createRouter, del, get, patch, post } from '@create-api/core'
import {
  createDocument,
  deleteDocument,
  idParams,
  patchDocument,
  softDelete,
  restoreDocument,
  toPatchSchema,
  versioned,
} from '@create-api/core/resource'
import { createJobs } from '@create-api/jobs'
import { defineEvent, emit, emitChanges, type EventFacts, on } from '@create-api/jobs/events'
import { runJobs } from '@create-api/jobs/testing'
import mongoose, { model, Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTestBed, stored, until } from './fixture.ts'

const bed = createTestBed()
const published = defineEvent('post.published', z.object({ post: z.string(), n: z.number() }), {
  key: ({ post: id }) => `posts/${id}`,
})

describe('emit', () => {
  it('stores the event exactly if the transaction is committed', async () => {
    const seen: unknown[] = []
    const handler = on(published, { name: 'note', run: (data) => void seen.push(data) })
    await bed.start({ handlers: [handler], pollInterval: '1h' })
    const aborted = mongoose.connection.transaction(async (session) => {
      await emit(published, { post: 'a', n: 1 }, { session })
      throw new Error('abort')
    })
    await expect(aborted).rejects.toThrow('abort')
    await mongoose.connection.transaction(async (session) => {
      await mongoose.connection.collection('posts').insertOne({}, { session })
      await emit(published, { post: 'a', n: 2 }, { session })
    })
    await until(() => seen.length > 0)
    await sleep(50)
    expect(seen).toEqual([{ post: 'a', n: 2 }])
  })

  it('rejects data that does not match the schema', async () => {
    await bed.start({})
    // @ts-expect-error -- the type of n
    const emitted = emit(published, { post: 'a', n: 'text' })
    await expect(emitted).rejects.toMatchObject({ code: 'job_input' })
    expect(await stored('outbox_events')).toEqual([])
  })
})

describe('on', () => {
  it('handles events of one key in order, also when one fails', async () => {
    const seen: number[] = []
    let failures = 0
    const handler = on(published, {
      name: 'ordered',
      concurrency: 10,
      backoff: { first: '20ms' },
      async run({ n }) {
        await sleep(n % 3)
        if (n === 3 && failures < 2) {
          failures += 1
          throw new Error('not yet')
        }
        seen.push(n)
      },
    })
    await bed.start({ handlers: [handler] })
    for (let n = 1; n <= 10; n++) await emit(published, { post: 'a', n })
    await until(() => seen.length === 10)
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  it('handles events of other keys in the meantime', async () => {
    const seen: string[] = []
    const gate = new AbortController()
    const handler = on(published, {
      name: 'keys',
      async run({ post: id }) {
        if (id === 'slow') await sleep(5000, undefined, { signal: gate.signal }).catch(() => {})
        seen.push(id)
      },
    })
    await bed.start({ handlers: [handler] })
    await emit(published, { post: 'slow', n: 1 })
    await emit(published, { post: 'slow', n: 2 })
    await emit(published, { post: 'fast', n: 1 })
    await until(() => seen.includes('fast'))
    gate.abort()
    await until(() => seen.length === 3)
    expect(seen).toEqual(['fast', 'slow', 'slow'])
  })

  it('goes on with the next event of a key when one is dead', async () => {
    const seen: number[] = []
    const handler = on(published, {
      name: 'dead',
      retries: 0,
      run({ n }) {
        if (n === 1) throw new Error('never')
        seen.push(n)
      },
    })
    await bed.start({ handlers: [handler] })
    await emit(published, { post: 'a', n: 1 })
    await emit(published, { post: 'a', n: 2 })
    await until(() => seen.length > 0)
    expect((await stored()).map(({ state }) => state)).toContain('dead')
  })

  it('passes each event to each of its handlers, with the facts of the event', async () => {
    const facts: EventFacts[] = []
    const other = defineEvent('other', z.string())
    const first = on([published, other], {
      name: 'first',
      run: (data, { event }) => {
        expect(typeof data === 'string' ? data : data.post).toBe('a')
        facts.push(event)
      },
    })
    const second = on(published, {
      name: 'second',
      run: (_data, { event }) => void facts.push(event),
    })
    await bed.start({ handlers: [first, second] })
    const id = await emit(published, { post: 'a', n: 1 })
    await emit(other, 'a')
    await until(() => facts.length === 3)
    const own = facts.filter(({ name }) => name === 'post.published')
    expect(own).toHaveLength(2)
    expect(own[0]).toMatchObject({ id, key: 'posts/a', position: expect.any(Number) })
    expect(own[0]?.at).toBeInstanceOf(Date)
    expect(facts.find(({ name }) => name === 'other')?.key).toBeUndefined()
  })
})

describe('emitChanges', () => {
  it('emits created, changed and deleted with the document before and after, version, caller and request', async () => {
    const schema = new Schema(
      { title: String, secret: String, owner: String },
      { collection: 'notes', timestamps: false },
    ).plugin(versioned)
    const Notes = model('Note', schema)
    const events = emitChanges(Notes, { except: ['secret'] })
    const seen: unknown[] = []
    const handler = on([events.created, events.changed, events.deleted], {
      name: 'audit',
      run({ after, before, version }, { event }) {
        const { caller, name, requestId } = event
        const secrets = [before, after].map((each) => each?.secret)
        expect(secrets).toEqual([undefined, undefined])
        seen.push({ name, version, before: before?.title, after: after?.title, caller, requestId })
      },
    })
    const body = z.object({ title: z.string() })
    const patchBody = toPatchSchema(body)
    const router = createRouter(
      [
        post('/', { body, response: z.unknown(), status: 201 }, async (req, res) => {
          const values = { ...req.valid.body, secret: 's' }
          res.status(201).json(await createDocument(Notes, values, { scope: req.scope }))
        }),
        patch('/:id', { body: patchBody, response: z.unknown() }, async (req, res) => {
          const options = { scope: req.scope, match: {}, schema: patchBody, input: req.valid.body }
          res.json(
            await patchDocument(Notes, { _id: String(Object(req.valid.params).id) }, options),
          )
        }),
        del('/:id', {}, async (req, res) => {
          await deleteDocument(
            Notes,
            { _id: String(Object(req.valid.params).id) },
            { scope: req.scope, match: {} },
          )
          res.status(204).end()
        }),
        get('/', { response: z.unknown() }, (_req, res) => void res.json([])),
      ],
      { access: 'public', params: idParams },
    )
    const { api } = await bed.start(
      { handlers: [handler] },
      {
        routes: createRegistry().use('/api/notes', router),
        jobs: createJobs({ handlers: [handler], worker: 'off' }),
      },
    )
    const { url } = api.server ? { url: `http://127.0.0.1:${port(api)}` } : { url: '' }
    const send = (method: string, path: string, json?: object): Promise<Response> =>
      fetch(url + path, {
        method,
        headers: { 'content-type': 'application/json', 'x-request-id': `request-${method}` },
        ...(json && { body: JSON.stringify(json) }),
      })
    const created = await send('POST', '/api/notes', { title: 'one' })
    expect(created.status).toBe(201)
    const { _id: id } = (await created.json()) as { _id: string }
    expect((await send('PATCH', `/api/notes/${id}`, { title: 'two' })).status).toBe(200)
    expect((await send('DELETE', `/api/notes/${id}`)).status).toBe(204)
    expect((await send('DELETE', `/api/notes/${id}`)).status).toBe(404)
    expect(await runJobs(api)).toHaveLength(3)
    expect(seen).toEqual([
      {
        name: 'notes.created',
        version: 0,
        before: undefined,
        after: 'one',
        caller: undefined,
        requestId: 'request-POST',
      },
      {
        name: 'notes.changed',
        version: 1,
        before: 'one',
        after: 'two',
        caller: undefined,
        requestId: 'request-PATCH',
      },
      {
        name: 'notes.deleted',
        version: 1,
        before: 'two',
        after: undefined,
        caller: undefined,
        requestId: 'request-DELETE',
      },
    ])
  })

  it('stores neither the change nor the event when one of them fails', async () => {
    const Things = model('Thing', new Schema({ title: String }, { collection: 'things' }))
    emitChanges(Things, { name: 'x'.repeat(20) })
    await bed.start({})
    await mongoose.connection.collection('things').createIndex({ title: 1 }, { unique: true })
    await createDocument(Things, { title: 'a' }, { scope: {} })
    await expect(createDocument(Things, { title: 'a' }, { scope: {} })).rejects.toThrow('duplicate')
    expect(await stored('outbox_events')).toHaveLength(1)
    // An event that cannot be stored.
    await mongoose.connection.collection('outbox_keys').createIndex({ at: 1, position: 1 })
    const big = { title: 'b'.repeat(9_000_000) }
    const { _id: id } = await createDocument(Things, big, { scope: {} })
    const schema = toPatchSchema(z.object({ title: z.string() }))
    const input = { title: 'c'.repeat(9_000_000) }
    const change = patchDocument(Things, { _id: id }, { scope: {}, match: {}, schema, input })
    await expect(change).rejects.toThrow()
    expect((await Things.findById(id))?.title).toBe(big.title)
    expect(await stored('outbox_events')).toHaveLength(2)
  })

  it('joins the transaction of the caller and names deleted documents that are kept', async () => {
    const schema = new Schema({ title: String }, { collection: 'kept' }).plugin(softDelete)
    const Kept = model('Kept', schema)
    emitChanges(Kept)
    await bed.start({ worker: 'off' })
    const { _id } = await createDocument(Kept, { title: 'a' }, { scope: {} })
    await deleteDocument(Kept, { _id }, { scope: {}, match: {} })
    await restoreDocument(Kept, { _id }, { scope: {} })
    mongoose.set('transactionAsyncLocalStorage', true)
    try {
      const aborted = mongoose.connection.transaction(async () => {
        await createDocument(Kept, { title: 'b' }, { scope: {} })
        throw new Error('abort')
      })
      await expect(aborted).rejects.toThrow('abort')
    } finally {
      mongoose.set('transactionAsyncLocalStorage', false)
    }
    const events = await mongoose.connection.collection('outbox_events').find().toArray()
    expect(events.map(({ name }) => String(name)).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'kept.changed',
      'kept.created',
      'kept.deleted',
    ])
    expect(await Kept.countDocuments()).toBe(1)
  })
})

function port(api: { server: { address(): unknown } | undefined }): number {
  return Object(api.server?.address()).port
}
