// Records of a database by hand: Express with the packages everybody takes, and Mongoose. Documents
// as Mongoose gives them, with `toJSON`, or lean ones that are written out by hand.
import { randomUUID } from 'node:crypto'
import cors from 'cors'
import express from 'express'
import { rateLimit } from 'express-rate-limit'
import helmet from 'helmet'
import mongoose from 'mongoose'
import morgan from 'morgan'
import { z } from '../../zod.js'
import { never, origin, postId, postInput } from '../../fixtures.js'
import { databaseName, postSchema } from './posts.js'

const PostModel = mongoose.model('Post', postSchema)

const listQuery = z.strictObject({
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  published: z.stringbool().optional(),
  sort: z.enum(['views', '-views']).optional(),
})

const postPatch = postInput.partial()

PostModel.schema.set('toJSON', { transform: (_document, stored) => toView(stored) })

export async function start({ lean }) {
  const { BENCHMARK_DATABASE: uri } = process.env
  await mongoose.connect(uri, { dbName: databaseName })
  const app = express()
  app.use((req, res, next) => {
    req.id = randomUUID()
    res.setHeader('X-Request-Id', req.id)
    next()
  })
  app.use(helmet())
  app.use(cors({ origin: [origin], credentials: true }))
  app.use(rateLimit({ windowMs: 60_000, limit: never, standardHeaders: 'draft-7' }))
  app.use(morgan('combined'))
  app.use(express.json({ limit: '100kb' }))
  app.use('/api/posts', createPostsRouter(lean))
  app.use((req, res) => {
    res.status(404).json({ error: { code: 'not_found' } })
  })
  const server = await new Promise((resolve) => {
    const listening = app.listen(0, () => resolve(listening))
  })
  return server.address().port
}

function createPostsRouter(lean) {
  const router = express.Router()
  const read = (query) => (lean ? query.lean() : query)
  const write = (found) => (lean ? toView(found) : found)
  router.get('/', async (req, res) => {
    const { page, limit, sort, ...filter } = listQuery.parse(req.query)
    const order = sort === undefined ? {} : { views: sort === 'views' ? 1 : -1 }
    const find = PostModel.find(filter).sort({ ...order, _id: 1 })
    const [found, total] = await Promise.all([
      read(find.skip((page - 1) * limit).limit(limit)),
      PostModel.countDocuments(filter),
    ])
    const meta = { page, limit, total, pages: Math.ceil(total / limit) }
    res.json({ data: found.map(write), meta })
  })
  router.get('/:id', async (req, res) => {
    const id = postId.safeParse(req.params.id)
    const found = id.success ? await read(PostModel.findById(id.data)) : null
    if (found) res.json({ data: write(found) })
    else answerNotFound(res)
  })
  router.post('/', async (req, res) => {
    const created = await PostModel.create(postInput.parse(req.body))
    res.status(201).json({ data: lean ? toView(created.toObject()) : created })
  })
  const change = (schema) => async (req, res) => {
    const body = schema.parse(req.body)
    const id = postId.safeParse(req.params.id)
    const update = { $set: body, $inc: { __v: 1 } }
    const options = { returnDocument: 'after' }
    const found = id.success
      ? await read(PostModel.findByIdAndUpdate(id.data, update, options))
      : null
    if (found) res.json({ data: write(found) })
    else answerNotFound(res)
  }
  router.put('/:id', change(postInput))
  router.patch('/:id', change(postPatch))
  router.delete('/:id', async (req, res) => {
    const id = postId.safeParse(req.params.id)
    const { deletedCount } = id.success ? await PostModel.deleteOne({ _id: id.data }) : {}
    if (deletedCount) res.status(204).end()
    else answerNotFound(res)
  })
  return router
}

function answerNotFound(res) {
  res.status(404).json({ error: { code: 'not_found' } })
}

function toView({ _id, __v, ...fields }) {
  return { id: _id.toString(), ...fields }
}
