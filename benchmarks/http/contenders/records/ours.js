// Records of a database, as the generator writes them: routes, controller and service in one file.
import {
  createApi,
  createRegistry,
  createRouter,
  defineListQuery,
  defineRoute,
  findPage,
  idParams,
  listMeta,
  requireFound,
  setEtag,
  success,
  toOutputSchema,
} from '@create-api/core'
import { never, origin, postInput } from '../../fixtures.js'
import { databaseName, PostModel } from './model.js'

const post = toOutputSchema(postInput)
const listPosts = defineListQuery(post, { filters: ['published'], sort: ['views'] })

export async function start() {
  const api = createApi({
    name: 'records',
    routes: createRegistry().use('/api/posts', posts),
    environment: 'production',
    database: { uri: process.env.BENCHMARK_DATABASE, name: databaseName },
    cors: { origins: [origin], credentials: true },
    rateLimit: { limit: never },
    log: { level: 'error' },
    auth: false,
  })
  const { server } = await api.start({ port: 0 })
  return server.address().port
}

const posts = createRouter([
  defineRoute({
    method: 'get',
    path: '/',
    access: 'public',
    query: listPosts,
    response: post.array(),
    meta: listMeta,
    handler: list,
  }),
  defineRoute({
    method: 'get',
    path: '/:id',
    access: 'public',
    params: idParams,
    response: post,
    etag: true,
    handler: get,
  }),
])

async function list(req, res) {
  const page = await findPage(PostModel, {}, req.valid.query)
  success(res, page.data, page.meta)
}

async function get(req, res) {
  const found = requireFound(await PostModel.findOne({ _id: req.valid.params.id }).lean())
  success(setEtag(res, found), found)
}
