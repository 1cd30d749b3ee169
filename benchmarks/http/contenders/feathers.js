// Feathers on its own Express (4), with services, hooks and the same packages around them.
import { randomUUID } from 'node:crypto'
import express, { json, rest } from '@feathersjs/express'
import { feathers } from '@feathersjs/feathers'
import cors from 'cors'
import { rateLimit } from 'express-rate-limit'
import helmet from 'helmet'
import createError from 'http-errors'
import jsonwebtoken from 'jsonwebtoken'
import morgan from 'morgan'
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
  const app = express(feathers())
  app.use((req, res, next) => {
    req.id = randomUUID()
    res.setHeader('X-Request-Id', req.id)
    req.feathers = { ...req.feathers, authorization: req.headers.authorization }
    next()
  })
  app.use(helmet())
  app.use(cors({ origin: [origin], credentials: true }))
  app.use(rateLimit({ windowMs: 60_000, limit: never, standardHeaders: 'draft-7' }))
  app.use(morgan('combined'))
  app.use(json({ limit: '100kb' }))
  app.configure(rest(sendResult))
  app.get('/', (req, res) => {
    res.json({ status: 'pass', uptime: process.uptime() })
  })
  app.use('/api/v1/auth', rateLimit({ windowMs: 60_000, limit: never, standardHeaders: 'draft-7' }))
  app.use('/api/v1/auth/me', { find: async () => ({ data: user }) })
  app.service('/api/v1/auth/me').hooks({ before: { find: [authenticate] } })
  addPosts(app, '/api/posts')
  for (const name of extraResources(extra)) addPosts(app, `/api/${name}`)
  app.use((req, res) => {
    res.status(404).json({ error: { code: 'not_found' } })
  })
  app.use(answerError)
  const server = await app.listen(0)
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
  return server.address().port
}

function sendResult(req, res) {
  res.json(res.data)
}

function addPosts(app, path) {
  app.use(path, new Posts(), { methods: ['find', 'get', 'create', 'patch', 'remove'] })
  const write = [authenticate]
  app.service(path).hooks({ before: { create: write, patch: write, remove: write } })
}

class Posts {
  async find({ query }) {
    return findPosts(pageQuery.parse({ ...query }))
  }

  async get(id) {
    const post = postId.safeParse(id).success ? findPost(id) : undefined
    if (!post) throw createError(404)
    return { data: post }
  }

  async create(input) {
    return { data: createPost(postInput.parse(input)) }
  }

  async patch() {
    throw createError(501)
  }

  async remove() {
    throw createError(501)
  }
}

async function authenticate({ params }) {
  try {
    const token = params.authorization?.replace(/^Bearer /, '')
    params.user = jsonwebtoken.verify(token ?? '', secret, { algorithms: ['HS256'] })
  } catch {
    throw createError(401)
  }
}

function answerError(error, req, res, _next) {
  if (error.name === 'ZodError') {
    res.status(422).json({ error: { code: 'validation_failed', errors: toFaults(error.issues) } })
    return
  }
  res.status(error.status ?? 500).json({ error: { code: 'error' } })
}
