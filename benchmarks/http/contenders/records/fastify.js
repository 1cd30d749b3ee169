// Records of a database by hand: Fastify with its plugins and JSON schemas, and lean queries of Mongoose or the driver.
// A change counts versions, as those of the framework do; the body was validated by its JSON schema.
import mongoose from 'mongoose'
import { byId, createApp, input, meta, object, output, paging } from '../fastify.js'
import { databaseName, postSchema } from './posts.js'

const PostModel = mongoose.model('Post', postSchema)

const query = {
  ...paging,
  properties: {
    ...paging.properties,
    published: { type: 'boolean' },
    sort: { type: 'string', enum: ['views', '-views'] },
  },
}

// In the order of an index, with a total only on request; `before` is the last value of the page before.
const feedQuery = {
  ...paging,
  properties: {
    ...paging.properties,
    published: { type: 'boolean' },
    before: { type: 'integer' },
    total: { type: 'boolean', default: false },
  },
}
const feed = object({
  data: { type: 'array', items: output },
  meta: object({ hasNextPage: { type: 'boolean' }, total: { type: 'integer' } }),
})

const after = { returnDocument: 'after' }
const patch = { ...input, required: [] }

const sources = { lean: useLean, driver: useDriver }

export async function start({ source }) {
  await mongoose.connect(process.env.BENCHMARK_DATABASE, { dbName: databaseName })
  const app = await createApp()
  await app.register(toPlugin(sources[source]()), { prefix: '/api/posts' })
  await app.listen({ port: 0 })
  return app.server.address().port
}

function toPlugin({ findOne, find, count, create, update, remove }) {
  return async (app) => {
    const feedSchema = { querystring: feedQuery, response: { 200: feed } }
    app.get('/feed', { schema: feedSchema }, async (req) => {
      const { page, limit, before, total, ...filter } = req.query
      const range = before === undefined ? filter : { ...filter, views: { $lt: before } }
      const order = { views: -1, _id: -1 }
      const [found, counted] = await Promise.all([
        find(range, { sort: order, skip: (page - 1) * limit, limit: limit + 1 }),
        total ? count(filter) : undefined,
      ])
      const data = found.slice(0, limit).map(toView)
      return { data, meta: { hasNextPage: found.length > limit, total: counted } }
    })
    const answer = object({ data: { type: 'array', items: output }, meta })
    app.get('/', { schema: { querystring: query, response: { 200: answer } } }, async (req) => {
      const { page, limit, sort, ...filter } = req.query
      const order = sort === undefined ? {} : { views: sort === 'views' ? 1 : -1 }
      const [found, total] = await Promise.all([
        find(filter, { sort: { ...order, _id: 1 }, skip: (page - 1) * limit, limit }),
        count(filter),
      ])
      const pages = Math.ceil(total / limit)
      return { data: found.map(toView), meta: { page, limit, total, pages } }
    })
    const one = object({ data: output })
    const schema = { params: byId, response: { 200: one } }
    app.get('/:id', { schema }, async (req, reply) => {
      const found = await findOne(req.params.id)
      return found ? { data: toView(found) } : notFound(reply)
    })
    app.post('/', { schema: { body: input, response: { 201: one } } }, async (req, reply) => {
      reply.code(201)
      return { data: toView(await create(req.body)) }
    })
    const change = async (req, reply) => {
      const found = await update(req.params.id, req.body)
      return found ? { data: toView(found) } : notFound(reply)
    }
    app.put('/:id', { schema: { ...schema, body: input } }, change)
    app.patch('/:id', { schema: { ...schema, body: patch } }, change)
    app.delete('/:id', { schema: { params: byId } }, async (req, reply) => {
      const { deletedCount } = await remove(req.params.id)
      return deletedCount === 0 ? notFound(reply) : reply.code(204).send()
    })
  }
}

function notFound(reply) {
  reply.code(404)
  return { error: { code: 'not_found' } }
}

function useLean() {
  return {
    findOne: (id) => PostModel.findById(id).lean(),
    find: (filter, options) => PostModel.find(filter, null, options).lean(),
    count: (filter) => PostModel.countDocuments(filter),
    create: async (body) => (await PostModel.create(body)).toObject(),
    update: (id, body) =>
      PostModel.findByIdAndUpdate(id, { $set: body, $inc: { __v: 1 } }, after).lean(),
    remove: (id) => PostModel.deleteOne({ _id: id }),
  }
}

function useDriver() {
  const posts = mongoose.connection.db.collection('posts')
  const byKey = (id) => ({ _id: new mongoose.Types.ObjectId(id) })
  return {
    findOne: (id) => posts.findOne(byKey(id)),
    find: (filter, options) => posts.find(filter, options).toArray(),
    count: (filter) => posts.countDocuments(filter),
    create: async (body) => {
      const now = new Date()
      const post = { ...body, createdAt: now, updatedAt: now, __v: 0 }
      await posts.insertOne(post)
      return post
    },
    update: (id, body) => {
      const changes = { $set: { ...body, updatedAt: new Date() }, $inc: { __v: 1 } }
      return posts.findOneAndUpdate(byKey(id), changes, after)
    },
    remove: (id) => posts.deleteOne(byKey(id)),
  }
}

function toView({ _id, __v, ...fields }) {
  return { id: _id.toString(), ...fields }
}
