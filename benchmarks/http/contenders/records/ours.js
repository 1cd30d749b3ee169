// Records of a database, as the generator writes them: routes, controller and service in one file.
import { createApi, createRegistry, createRouter, defineRoute, success } from '@create-api/core'
import {
  createDocument,
  defineListQuery,
  deleteDocument,
  findDocument,
  findPage,
  idParams,
  listMeta,
  parseIfMatch,
  patchDocument,
  replaceDocument,
  setCreated,
  toOutputSchema,
  totalOnRequestMeta,
  toPatchSchema,
} from '@create-api/core/resource'
import { never, origin, postInput, secret, user } from '../../fixtures.js'
import { PostModel } from './model.js'
import { databaseName } from './posts.js'

const post = toOutputSchema(postInput)
const patchPost = toPatchSchema(postInput)

/** Starts the API; with `guarded` each request checks session and user in the database. */
export async function start({ guarded = false, shareCommands = true, total }) {
  const { server } = await createService(guarded, shareCommands, total).start({ port: 0 })
  return server.address().port
}

/** Registers the user and gives the access token. */
export async function register({ guarded }) {
  const api = createService(guarded)
  await api.start({ port: 0, signals: false })
  const password = 'correct horse battery staple'
  const grant = await api.auth.register({ email: user.email, password, fields: {} })
  await api.stop()
  return grant.accessToken
}

function createService(guarded, shareCommands, total) {
  const access = guarded ? 'user' : 'public'
  return createApi({
    name: 'records',
    routes: createRegistry().use('/api/posts', createPostsRouter(access, total)),
    environment: 'production',
    database: { uri: process.env.BENCHMARK_DATABASE, name: databaseName, shareCommands },
    cors: { origins: [origin], credentials: true },
    rateLimit: { limit: never },
    log: { level: 'error' },
    auth: guarded && {
      secrets: [secret],
      accessLifetime: '1h',
      limits: { perAddress: { me: { limit: never, window: 60 } } },
    },
  })
}

function createPostsRouter(access, total) {
  const all = { path: '/', access }
  const one = { path: '/:id', access, params: idParams, etag: true }
  return createRouter([
    defineRoute({
      ...all,
      method: 'get',
      query: defineListQuery(post, { filters: ['published'], sort: ['views'], total }),
      response: post.array(),
      meta: total === 'onRequest' ? totalOnRequestMeta : listMeta,
      handler: list,
    }),
    defineRoute({
      ...all,
      method: 'post',
      body: postInput,
      response: post,
      status: 201,
      etag: true,
      handler: create,
    }),
    defineRoute({ ...one, method: 'get', response: post, handler: get }),
    defineRoute({ ...one, method: 'put', body: postInput, response: post, handler: replace }),
    defineRoute({
      ...one,
      method: 'patch',
      body: patchPost,
      response: post,
      errors: ['conflict'],
      handler: patch,
    }),
    defineRoute({ ...one, method: 'delete', handler: remove }),
  ])
}

async function list(req, res) {
  const page = await findPage(PostModel, req.valid.query, { scope: req.scope })
  success(res, page.data, page.meta)
}

async function get(req, res) {
  success(res, await findDocument(PostModel, { _id: req.valid.params.id }, { scope: req.scope }))
}

async function create(req, res) {
  const made = await createDocument(PostModel, req.valid.body, { scope: req.scope })
  success(setCreated(res, made), made)
}

async function replace(req, res) {
  const { params, body } = req.valid
  const options = { ...toChange(req), schema: postInput, input: body }
  success(res, await replaceDocument(PostModel, { _id: params.id }, options))
}

async function patch(req, res) {
  const { params, body } = req.valid
  const options = { ...toChange(req), schema: patchPost, input: body }
  success(res, await patchDocument(PostModel, { _id: params.id }, options))
}

async function remove(req, res) {
  await deleteDocument(PostModel, { _id: req.valid.params.id }, toChange(req))
  success(res)
}

function toChange(req) {
  return { scope: req.scope, match: parseIfMatch(req), references: req.references }
}
