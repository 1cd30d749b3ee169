// Records of a database by hand: Fastify with its plugins and JSON schemas, and lean reads of Mongoose.
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

export async function start() {
  await mongoose.connect(process.env.BENCHMARK_DATABASE, { dbName: databaseName })
  const app = await createApp()
  await app.register(posts, { prefix: '/api/posts' })
  await app.listen({ port: 0 })
  return app.server.address().port
}

async function posts(app) {
  const page = object({ data: { type: 'array', items: output }, meta })
  app.get('/', { schema: { querystring: query, response: { 200: page } } }, list)
  const schema = { params: byId, response: { 200: object({ data: output }) } }
  app.get('/:id', { schema }, async (req, reply) => {
    const found = await PostModel.findById(req.params.id).lean()
    if (found) return { data: toView(found) }
    reply.code(404)
    return { error: { code: 'not_found' } }
  })
}

async function list(req) {
  const { page, limit, sort, ...filter } = req.query
  const order = sort === undefined ? {} : { views: sort === 'views' ? 1 : -1 }
  const [found, total] = await Promise.all([
    PostModel.find(filter)
      .sort({ ...order, _id: 1 })
      .skip((page - 1) * limit)
      .limit(limit)
      .lean(),
    PostModel.countDocuments(filter),
  ])
  const pages = Math.ceil(total / limit)
  return { data: found.map(toView), meta: { page, limit, total, pages } }
}

function toView({ _id, __v, ...fields }) {
  return { id: _id.toString(), ...fields }
}
