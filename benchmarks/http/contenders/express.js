// Express as it is written by hand, with the packages everybody takes; or another library with its interface.
import { createSecretKey, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import cors from 'cors'
import { rateLimit } from 'express-rate-limit'
import helmet from 'helmet'
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

export async function start({ library = 'express', features = true, keyObject, extra }) {
  const { default: express } = await import(library)
  const key = keyObject ? createSecretKey(Buffer.from(secret)) : secret
  const app = express()
  if (features) use(app)
  app.use(express.json({ limit: '100kb' }))
  app.get('/', (req, res) => {
    res.json({ status: 'pass', uptime: process.uptime() })
  })
  app.use('/api/v1/auth', createAuthRouter(express, key))
  app.use('/api/posts', createPostsRouter(express, key))
  for (const name of extraResources(extra)) app.use(`/api/${name}`, createPostsRouter(express, key))
  app.use((req, res) => {
    res.status(404).json({ error: { code: 'not_found' } })
  })
  app.use(answerError)
  const server = app.listen(0)
  // That of ultimate-express listens at once and emits nothing.
  if (server.address() === null) await once(server, 'listening')
  return server.address().port
}

function use(app) {
  app.use((req, res, next) => {
    req.id = randomUUID()
    res.setHeader('X-Request-Id', req.id)
    next()
  })
  app.use(helmet())
  app.use(cors({ origin: [origin], credentials: true }))
  app.use(rateLimit({ windowMs: 60_000, limit: never, standardHeaders: 'draft-7' }))
  app.use(morgan('combined'))
}

function createAuthRouter(express, key) {
  const router = express.Router()
  router.use(rateLimit({ windowMs: 60_000, limit: never, standardHeaders: 'draft-7' }))
  router.get('/me', authenticate(key), (req, res) => {
    res.json({ data: user })
  })
  return router
}

// Five routes, of which the last is the one that is asked for.
function createPostsRouter(express, key) {
  const router = express.Router()
  router.get('/', (req, res) => {
    const query = pageQuery.parse(req.query)
    res.json(findPosts(query))
  })
  router.post('/', authenticate(key), (req, res) => {
    const input = postInput.parse(req.body)
    res.status(201).json({ data: createPost(input) })
  })
  router.patch('/:id', authenticate(key), notImplemented)
  router.delete('/:id', authenticate(key), notImplemented)
  router.get('/:id', (req, res) => {
    const id = postId.safeParse(req.params.id)
    const post = id.success ? findPost(id.data) : undefined
    if (post) res.json({ data: post })
    else res.status(404).json({ error: { code: 'not_found' } })
  })
  return router
}

function authenticate(key) {
  return (req, res, next) => {
    const token = req.headers.authorization?.replace(/^Bearer /, '')
    try {
      req.user = jsonwebtoken.verify(token ?? '', key, { algorithms: ['HS256'] })
    } catch {
      res.status(401).json({ error: { code: 'unauthorized' } })
      return
    }
    next()
  }
}

function notImplemented(req, res) {
  res.status(501).end()
}

function answerError(error, req, res, _next) {
  if (error.name === 'ZodError') {
    res.status(422).json({ error: { code: 'validation_failed', errors: toFaults(error.issues) } })
    return
  }
  res.status(error.status ?? 500).json({ error: { code: 'error' } })
}
