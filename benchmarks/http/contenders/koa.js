// Koa with the middleware of its own world.
import { randomUUID } from 'node:crypto'
import { bodyParser } from '@koa/bodyparser'
import cors from '@koa/cors'
import { Router } from '@koa/router'
import jsonwebtoken from 'jsonwebtoken'
import Koa from 'koa'
import helmet from 'koa-helmet'
import morgan from 'koa-morgan'
import rateLimit from 'koa-ratelimit'
import {
  createPost,
  extraResources,
  findPost,
  findPosts,
  never,
  origin,
  pageQuery,
  postId,
  postInput,
  secret,
  toFaults,
  user,
} from '../fixtures.js'

export async function start({ extra }) {
  const app = new Koa()
  app.use(async (ctx, next) => {
    ctx.state.id = randomUUID()
    ctx.set('X-Request-Id', ctx.state.id)
    await next()
  })
  app.use(answerErrors)
  app.use(helmet())
  app.use(
    cors({ origin: (ctx) => (ctx.get('Origin') === origin ? origin : ''), credentials: true }),
  )
  app.use(createLimit())
  app.use(morgan('combined'))
  app.use(bodyParser({ enableTypes: ['json'], jsonLimit: '100kb' }))
  const router = new Router()
  router.get('/', (ctx) => {
    ctx.body = { status: 'pass', uptime: process.uptime() }
  })
  router.get('/api/v1/auth/me', createLimit(), authenticate, (ctx) => {
    ctx.body = { data: user }
  })
  addPosts(router, '/api/posts')
  for (const name of extraResources(extra)) addPosts(router, `/api/${name}`)
  app.use(router.routes())
  app.use((ctx) => {
    ctx.status = 404
    ctx.body = { error: { code: 'not_found' } }
  })
  const server = await new Promise((resolve) => {
    const listening = app.listen(0, () => resolve(listening))
  })
  return server.address().port
}

function createLimit() {
  return rateLimit({
    driver: 'memory',
    db: new Map(),
    duration: 60_000,
    max: never,
    id: (ctx) => ctx.ip,
  })
}

async function answerErrors(ctx, next) {
  try {
    await next()
  } catch (error) {
    const isInvalid = error.name === 'ZodError'
    ctx.status = isInvalid ? 422 : (error.status ?? 500)
    const errors = isInvalid ? toFaults(error.issues) : undefined
    ctx.body = { error: { code: isInvalid ? 'validation_failed' : 'error', errors } }
  }
}

async function authenticate(ctx, next) {
  try {
    const token = ctx.get('Authorization').replace(/^Bearer /, '')
    ctx.state.user = jsonwebtoken.verify(token, secret, { algorithms: ['HS256'] })
  } catch {
    ctx.throw(401)
  }
  await next()
}

function notImplemented(ctx) {
  ctx.status = 501
}

function addPosts(router, prefix) {
  router.get(prefix, (ctx) => {
    ctx.body = findPosts(pageQuery.parse({ ...ctx.query }))
  })
  router.post(prefix, authenticate, (ctx) => {
    const input = postInput.parse(ctx.request.body)
    ctx.status = 201
    ctx.body = { data: createPost(input) }
  })
  router.patch(`${prefix}/:id`, authenticate, notImplemented)
  router.delete(`${prefix}/:id`, authenticate, notImplemented)
  router.get(`${prefix}/:id`, (ctx) => {
    const id = postId.safeParse(ctx.params.id)
    const post = id.success ? findPost(id.data) : undefined
    ctx.status = post ? 200 : 404
    ctx.body = post ? { data: post } : { error: { code: 'not_found' } }
  })
}
