// Hono on Node with its own middleware.
import { serve } from '@hono/node-server'
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { jwt } from 'hono/jwt'
import { logger } from 'hono/logger'
import { requestId } from 'hono/request-id'
import { secureHeaders } from 'hono/secure-headers'
import { rateLimiter } from 'hono-rate-limiter'
import { z } from '../zod.js'
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

const authenticate = jwt({ secret, alg: 'HS256' })
const limit = rateLimiter({
  windowMs: 60_000,
  limit: never,
  standardHeaders: 'draft-7',
  keyGenerator: (c) => c.env.incoming.socket.remoteAddress,
})

export async function start({ extra }) {
  const app = new Hono()
  app.use(requestId(), secureHeaders(), cors({ origin: [origin], credentials: true }), limit)
  app.use(logger())
  app.use(bodyLimit({ maxSize: 102_400 }))
  app.get('/', (c) => c.json({ status: 'pass', uptime: process.uptime() }))
  app.use('/api/v1/auth/*', limit)
  app.get('/api/v1/auth/me', authenticate, (c) => c.json({ data: user }))
  app.route('/api/posts', createPosts())
  for (const name of extraResources(extra)) app.route(`/api/${name}`, createPosts())
  app.notFound((c) => c.json({ error: { code: 'not_found' } }, 404))
  return new Promise((resolve) => {
    serve({ fetch: app.fetch, port: 0 }, ({ port }) => resolve(port))
  })
}

function check(target, schema, status) {
  return zValidator(target, schema, (result, c) => {
    if (result.success) return undefined
    const errors = toFaults(result.error.issues)
    return c.json({ error: { code: 'validation_failed', errors } }, status)
  })
}

function createPosts() {
  const posts = new Hono()
  posts.get('/', check('query', pageQuery, 400), (c) => c.json(findPosts(c.req.valid('query'))))
  posts.post('/', authenticate, check('json', postInput, 422), (c) =>
    c.json({ data: createPost(c.req.valid('json')) }, 201),
  )
  posts.patch('/:id', authenticate, (c) => c.body(null, 501))
  posts.delete('/:id', authenticate, (c) => c.body(null, 501))
  posts.get('/:id', check('param', z.object({ id: postId }), 404), (c) => {
    const post = findPost(c.req.valid('param').id)
    return post ? c.json({ data: post }) : c.json({ error: { code: 'not_found' } }, 404)
  })
  return posts
}
