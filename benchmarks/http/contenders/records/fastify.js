// Records of a database by hand: Fastify with its plugins and JSON schemas, and lean reads of Mongoose or of the driver.
import mongoose from 'mongoose'
import { byId, createApp, meta, object, output, paging } from '../fastify.js'
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

const sources = { lean: readLean, driver: readWithDriver }

export async function start({ source }) {
  await mongoose.connect(process.env.BENCHMARK_DATABASE, { dbName: databaseName })
  const app = await createApp()
  await app.register(toPlugin(sources[source]()), { prefix: '/api/posts' })
  await app.listen({ port: 0 })
  return app.server.address().port
}

function toPlugin({ findOne, find, count }) {
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
    const schema = { params: byId, response: { 200: object({ data: output }) } }
    app.get('/:id', { schema }, async (req, reply) => {
      const found = await findOne(req.params.id)
      if (found) return { data: toView(found) }
      reply.code(404)
      return { error: { code: 'not_found' } }
    })
  }
}

function readLean() {
  return {
    findOne: (id) => PostModel.findById(id).lean(),
    find: (filter, options) => PostModel.find(filter, null, options).lean(),
    count: (filter) => PostModel.countDocuments(filter),
  }
}

function readWithDriver() {
  const posts = mongoose.connection.db.collection('posts')
  return {
    findOne: (id) => posts.findOne({ _id: new mongoose.Types.ObjectId(id) }),
    find: (filter, options) => posts.find(filter, options).toArray(),
    count: (filter) => posts.countDocuments(filter),
  }
}

function toView({ _id, __v, ...fields }) {
  return { id: _id.toString(), ...fields }
}
