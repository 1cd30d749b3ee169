// The framework: its own routes, validation, serializers and ETags, as the templates write them.
import { createApi, createRegistry, createRouter, defineRoute, success } from '@create-api/core'
import {
  idParams,
  listMeta,
  requireFound,
  setCreated,
  toOutputSchema,
} from '@create-api/core/resource'
import {
  createPost,
  extraResources,
  findPosts,
  never,
  origin,
  pageQuery,
  postInput,
  secret,
  user,
} from '../fixtures.js'

const post = toOutputSchema(postInput)

/**
 * Starts the API. Sessions are in a database of another process; it is asked at the start and,
 * with `strict`, on each guarded request.
 * @returns its port
 */
export async function start({ mounted = false, extra = 0, ...auth }) {
  const api = createService(auth, extra)
  if (mounted) return mount(api)
  // With workers, this process has no server.
  const { url } = await api.start({ port: 0 })
  return Number(new URL(url).port)
}

async function mount(api) {
  const { default: express } = await import('express')
  const { default: mongoose } = await import('mongoose')
  await mongoose.connect(process.env.BENCHMARK_DATABASE)
  const existing = express()
  existing.use(api.app)
  existing.use((req, res) => {
    res.status(404).json({ error: { code: 'not_found' } })
  })
  const server = await new Promise((resolve) => {
    const listening = existing.listen(0, () => resolve(listening))
  })
  return server.address().port
}

/** Registers the user and gives the access token: it belongs to a session. */
export async function register({ mounted: _mounted, ...auth }) {
  const api = createService(auth)
  await api.start({ port: 0, signals: false })
  const password = 'correct horse battery staple'
  const grant = await api.auth.register({ email: user.email, password, fields: {} })
  await api.stop()
  return grant.accessToken
}

function createService({ strict = false, fast = true, tokenCacheSize }, extra = 0) {
  const routes = createRegistry().use('/api/posts', createPostsRouter())
  for (const name of extraResources(extra)) routes.use(`/api/${name}`, createPostsRouter())
  return createApi({
    name: 'benchmark',
    routes,
    environment: 'production',
    server: { fast },
    database: { uri: process.env.BENCHMARK_DATABASE },
    cors: { origins: [origin], credentials: true },
    rateLimit: { limit: never },
    log: { level: 'error' },
    auth: {
      secrets: [secret],
      accessLifetime: '1h',
      tokenCacheSize,
      ...(strict ? {} : { stateless: true, users }),
      limits: { perAddress: { me: { limit: never, window: 60 } } },
    },
  })
}

// The user is in memory, as with every other contender.
const stored = { ...user, createdAt: new Date(user.createdAt), disabled: false, fields: {} }
const users = {
  create: async () => stored,
  findById: async (id) => (id === stored.id ? stored : undefined),
  findCredentials: async () => undefined,
  update: async () => stored,
}

function createPostsRouter() {
  const params = idParams
  const notImplemented = (req, res) => success(res)
  return createRouter([
    defineRoute({
      method: 'get',
      path: '/',
      access: 'public',
      query: pageQuery,
      response: post.array(),
      meta: listMeta,
      handler: list,
    }),
    defineRoute({
      method: 'post',
      path: '/',
      access: 'user',
      body: postInput,
      response: post,
      status: 201,
      etag: true,
      handler: create,
    }),
    defineRoute({ method: 'patch', path: '/:id', access: 'user', params, handler: notImplemented }),
    defineRoute({
      method: 'delete',
      path: '/:id',
      access: 'user',
      params,
      handler: notImplemented,
    }),
    defineRoute({
      method: 'get',
      path: '/:id',
      access: 'public',
      params,
      response: post,
      etag: true,
      handler: get,
    }),
  ])
}

async function list(req, res) {
  const page = await findPage(req.valid.query)
  success(res, page.data, page.meta)
}

async function get(req, res) {
  const found = requireFound(await findById(req.valid.params.id))
  success(res, found)
}

async function create(req, res) {
  const made = await insert(req.valid.body)
  success(setCreated(res, made), made)
}

// What a model would give: promises of documents with a version.
async function findPage(query) {
  return findPosts(query)
}

async function findById(id) {
  return versions.get(id) ?? null
}

async function insert(input) {
  return toVersion(createPost(input))
}

function toVersion(record) {
  return { _id: record.id, ...record, __v: 0 }
}

const { data: all } = findPosts({ page: 1, limit: 100 })
const versions = new Map(all.map((record) => [record.id, toVersion(record)]))
