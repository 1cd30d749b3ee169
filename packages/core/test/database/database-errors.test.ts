import { randomBytes } from 'node:crypto'
import express, { type Request } from 'express'
import mongoose from 'mongoose'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectDatabase, type Database } from '../../src/lib/database/connect.ts'
import { errorHandler } from '../../src/lib/http/error-handler.ts'

const schema = new mongoose.Schema(
  {
    title: { type: String, required: true, maxlength: 10 },
    slug: { type: String, unique: true, sparse: true },
    tags: [String],
    meta: { views: Number },
  },
  { optimisticConcurrency: true },
)
const Post = mongoose.model('HygienePost', schema)
type Work = (req: Request) => Promise<unknown>

const works: Record<string, Work> = {
  // What an Express app writes that checks nothing itself.
  'raw-query': (req) => Post.find(req.query),
  'raw-path': (req) => Post.findById(req.params['id']),
  'raw-body': (req) => Post.updateOne({ title: 'secret' }, req.body),
  'raw-strict': (req) => Post.find(req.query).setOptions({ strictQuery: 'throw' }),
  invalid: () => Post.create({ title: 'hunter2 is far too long' }),
  duplicate: async () => {
    await Post.create({ title: 'a', slug: 'hunter2' })
    await Post.create({ title: 'b', slug: 'hunter2' })
  },
  'duplicates-in-bulk': () =>
    Post.insertMany([
      { title: 'a', slug: 'hunter3' },
      { title: 'b', slug: 'hunter3' },
    ]),
  stale: async () => {
    const { _id } = await Post.create({ title: 'a' })
    const [first, second] = [await Post.findById(_id).orFail(), await Post.findById(_id).orFail()]
    first.title = 'b'
    await first.save()
    second.title = 'c'
    await second.save()
  },
  gone: () => Post.findById('0'.repeat(24)).orFail(),
  strict: () => Post.find({ nope: 1 } as never).setOptions({ strictQuery: 'throw' }),
  cast: () => Post.updateOne({ title: 'a' }, { 'meta.views': 'hunter2' }),
  'cast-id': () => Post.findById('hunter2'),
  operator: () => Post.find({ title: { $nope: 'hunter2' } } as never),
  'not-connected': () =>
    mongoose
      .createConnection()
      .model('X', new mongoose.Schema({}, { bufferCommands: false }))
      .findOne(),
  unreachable: () =>
    mongoose
      .createConnection('mongodb://127.0.0.1:1/x', { serverSelectionTimeoutMS: 50 })
      .asPromise(),
}

const log: unknown[] = []
const app = express()
app.set('query parser', 'extended')
app.use(express.json())
app.use('/:work{/:id}', (req, res, next) => {
  const work = works[req.params.work]
  work?.(req).then((data) => res.json({ data }), next)
})
app.use(errorHandler({ logger: { error: (fields) => void log.push(fields), warn: () => {} } }))

let database: Database

beforeAll(async () => {
  const name = `errors_${randomBytes(6).toString('hex')}`
  const uri = process.env['MONGODB_URI'] ?? 'embedded:memory'
  database = await connectDatabase({ uri, name, logger: { warn: () => {}, info: () => {} } })
  await Post.init()
  await Post.create({ title: 'secret' })
})

afterAll(async () => {
  await database.connection.dropDatabase()
  await database.stop()
})

describe('errors of the database', () => {
  it.each([
    ['/raw-query?_id=x', 400, 'bad_request'],
    ['/raw-query?title[nope]=x', 400, 'bad_request'],
    ['/raw-path/hunter2', 404, 'not_found'],
    ['/raw-strict?nope[a]=1', 400, 'bad_request'],
    ['/invalid', 422, 'validation_failed'],
    ['/duplicate', 409, 'duplicate'],
    ['/duplicates-in-bulk', 409, 'duplicate'],
    ['/stale', 412, 'precondition_failed'],
    ['/gone', 404, 'not_found'],
    ['/strict', 500, 'internal_error'],
    ['/cast', 500, 'internal_error'],
    ['/cast-id', 500, 'internal_error'],
    ['/cast-id/x?_id=y', 500, 'internal_error'],
    ['/operator', 500, 'internal_error'],
    ['/not-connected', 503, 'service_unavailable'],
    ['/unreachable', 503, 'service_unavailable'],
  ])('ERR-03 %s returns %i %s', async (path, status, code) => {
    const before = log.length
    const response = await request(app).get(path)
    expect({ status: response.status, code: response.body.code }).toEqual({ status, code })
    // ERR-05: neither the value nor what is inside.
    expect(response.text).not.toMatch(/hunter|secret|mongo|E11000|Cast|127\.0\.0\.1/i)
    expect(log.length - before).toBe(status >= 500 ? 1 : 0)
    expect(response.headers['retry-after'] !== undefined).toBe(status === 503)
  })

  it('returns 400 for a value of the body that cannot be cast', async () => {
    for (const body of [{ meta: { views: 'x' } }, { $set: { 'meta.views': ['x', { a: 1 }] } }]) {
      const response = await request(app).put('/raw-body').send(body)
      expect(response.body).toMatchObject({ status: 400, code: 'bad_request' })
    }
  })

  it('logs an error of the own query with its stack and a message that states the value', async () => {
    await request(app).get('/cast-id').expect(500)
    expect(log.at(-1)).toMatchObject({
      code: 'internal_error',
      err: { name: 'CastError', stack: expect.stringContaining('hunter2') },
    })
  })

  it('names the field of a duplicate, in bulk writes too', async () => {
    for (const path of ['/duplicate', '/duplicates-in-bulk']) {
      const response = await request(app).get(path).expect(409)
      expect(response.body.errors).toEqual([
        { in: 'body', pointer: '#/slug', code: 'duplicate', detail: 'is already in use' },
      ])
    }
  })
})
