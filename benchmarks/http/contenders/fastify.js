// Fastify with its own plugins, JSON schemas for requests and answers, and its own logger.
import { randomUUID } from 'node:crypto'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import jwt from '@fastify/jwt'
import rateLimit from '@fastify/rate-limit'
import Fastify, { LogController } from 'fastify'
import { connectCallers } from './fastify-callers.js'
import {
  createPost,
  extraResources,
  findPost,
  findPosts,
  never,
  origin,
  secret,
  user,
} from '../fixtures.js'

const text = (minLength, maxLength) => ({ type: 'string', minLength, maxLength })
const fields = {
  title: text(1, 200),
  body: text(1, 100_000),
  tags: { type: 'array', maxItems: 10, items: text(1, 30) },
  views: { type: 'integer', minimum: 0 },
  published: { type: 'boolean' },
}
const string = { type: 'string' }
const strings = (...names) => Object.fromEntries(names.map((name) => [name, string]))
export const object = (properties) => ({ type: 'object', properties })
export const output = object({ ...strings('id'), ...fields, ...strings('createdAt', 'updatedAt') })
const count = { type: 'integer' }
export const meta = object({ page: count, limit: count, total: count, pages: count })
export const input = {
  ...object(fields),
  required: Object.keys(fields),
  additionalProperties: false,
}
export const byId = {
  type: 'object',
  properties: { id: { type: 'string', pattern: '^[0-9a-f]{24}$' } },
}
export const paging = object({
  page: { type: 'integer', minimum: 1, default: 1 },
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
})
const account = object({
  ...strings('id', 'email', 'createdAt'),
  roles: { type: 'array', items: string },
  permissions: { type: 'array', items: string },
  emailVerified: { type: 'boolean' },
})

/**
 * Starts the service; with `strict` each guarded request reads session and user from the database.
 * @returns its port
 */
export async function start({ extra, strict = false }) {
  const app = await createApp()
  if (strict) app.decorate('readCaller', await connectCallers())
  app.get('/', async () => ({ status: 'pass', uptime: process.uptime() }))
  await app.register(auth, { prefix: '/api/v1/auth' })
  await app.register(posts, { prefix: '/api/posts' })
  for (const name of extraResources(extra)) await app.register(posts, { prefix: `/api/${name}` })
  await app.listen({ port: 0 })
  return app.server.address().port
}

/** Creates an app with everything but its routes. */
export async function createApp() {
  const app = Fastify({
    logger: true,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 102_400,
    genReqId: () => randomUUID(),
    ajv: { customOptions: { allErrors: true } },
  })
  await app.register(helmet)
  await app.register(cors, { origin: [origin], credentials: true })
  await app.register(rateLimit, { max: never, timeWindow: 60_000 })
  await app.register(jwt, { secret })
  app.addHook('onRequest', async (req, reply) => {
    reply.header('X-Request-Id', req.id)
  })
  app.addHook('onResponse', async (req, reply) => {
    req.log.info({ res: reply, ms: reply.elapsedTime, url: req.url, method: req.method }, 'request')
  })
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, (req, reply) => {
    reply.code(404).send({ error: { code: 'not_found' } })
  })
  app.setErrorHandler(answerError)
  return app
}

async function authenticate(req) {
  await req.jwtVerify()
  await req.server.readCaller?.(req)
}

function answerError(error, req, reply) {
  if (error.validation) {
    const errors = error.validation.map(({ instancePath, message }) => ({
      path: instancePath,
      message,
    }))
    reply.code(422).send({ error: { code: 'validation_failed', errors } })
    return
  }
  reply.code(error.statusCode ?? 500).send({ error: { code: error.code } })
}

async function auth(app) {
  await app.register(rateLimit, { max: never, timeWindow: 60_000 })
  const schema = { response: { 200: object({ data: account }) } }
  app.get('/me', { onRequest: authenticate, schema }, async () => ({ data: user }))
}

async function posts(app) {
  const one = object({ data: output })
  const page = object({ data: { type: 'array', items: output }, meta })
  const query = { querystring: paging, response: { 200: page } }
  app.get('/', { schema: query }, async (req) => findPosts(req.query))
  const create = { body: input, response: { 201: one } }
  app.post('/', { onRequest: authenticate, schema: create }, async (req, reply) => {
    reply.code(201)
    return { data: createPost(req.body) }
  })
  app.patch('/:id', { onRequest: authenticate }, notImplemented)
  app.delete('/:id', { onRequest: authenticate }, notImplemented)
  const get = { params: byId, response: { 200: one } }
  app.get('/:id', { schema: get }, async (req, reply) => {
    const post = findPost(req.params.id)
    if (post) return { data: post }
    reply.code(404)
    return { error: { code: 'not_found' } }
  })
}

async function notImplemented(req, reply) {
  reply.code(501).send()
}
