// express-zod-api, with the packages it leaves to its users.
import { randomUUID } from 'node:crypto'
import cors from 'cors'
import { rateLimit } from 'express-rate-limit'
import {
  createConfig,
  createServer,
  EndpointsFactory,
  ensureHttpError,
  Middleware,
  ResultHandler,
} from 'express-zod-api'
import helmet from 'helmet'
import createHttpError from 'http-errors'
import jsonwebtoken from 'jsonwebtoken'
import morgan from 'morgan'
import { z } from 'zod'
import {
  createPost,
  createSchemas,
  extraResources,
  findPost,
  findPosts,
  never,
  origin,
  secret,
  toFaults,
  user,
} from '../../fixtures.js'

const { pageQuery, postId, postInput } = createSchemas({ z })
const failure = z.looseObject({ error: z.looseObject({ code: z.string() }) })
const results = new ResultHandler({
  positive: (data) => data,
  negative: failure,
  handler: ({ error, output, request, response }) => {
    if (!error) {
      response.status(request.method === 'POST' ? 201 : 200).json(output)
      return
    }
    if (error.name === 'InputValidationError') {
      const errors = toFaults(error.cause.issues)
      response.status(422).json({ error: { code: 'validation_failed', errors } })
      return
    }
    const { statusCode } = ensureHttpError(error)
    response.status(statusCode).json({ error: { code: 'error' } })
  },
})
const factory = new EndpointsFactory(results)
const guarded = factory.addMiddleware(
  new Middleware({
    handler: async ({ request }) => {
      try {
        const token = request.headers.authorization?.replace(/^Bearer /, '')
        return { user: jsonwebtoken.verify(token ?? '', secret, { algorithms: ['HS256'] }) }
      } catch {
        throw createHttpError(401)
      }
    },
  }),
)

const post = postInput.extend({ id: postId, createdAt: z.string(), updatedAt: z.string() })
const meta = z.object({
  page: z.number(),
  limit: z.number(),
  total: z.number(),
  pages: z.number(),
})
const account = z.object({
  id: z.string(),
  email: z.string(),
  roles: z.array(z.string()),
  permissions: z.array(z.string()),
  emailVerified: z.boolean(),
  createdAt: z.string(),
})

export async function start({ extra }) {
  const names = extraResources(extra).map((name) => [`/api/${name}`, createPosts()])
  const routing = {
    '/': factory.build({
      output: z.object({ status: z.string(), uptime: z.number() }),
      handler: async () => ({ status: 'pass', uptime: process.uptime() }),
    }),
    '/api/v1/auth/me': guarded.build({
      output: z.object({ data: account }),
      handler: async () => ({ data: user }),
    }),
    '/api/posts': createPosts(),
    ...Object.fromEntries(names),
  }
  const config = createConfig({
    http: { listen: 0 },
    cors: false,
    startupLogo: false,
    logger: { level: 'warn', color: false },
    accessLogger: null,
    beforeRouting: ({ app }) => use(app),
  })
  const { servers } = await createServer(config, routing)
  const [server] = servers
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
  return server.address().port
}

function use(app) {
  app.use((req, res, next) => {
    res.setHeader('X-Request-Id', randomUUID())
    next()
  })
  app.use(helmet())
  app.use(cors({ origin: [origin], credentials: true }))
  app.use(rateLimit({ windowMs: 60_000, limit: never, standardHeaders: 'draft-7' }))
  app.use('/api/v1/auth', rateLimit({ windowMs: 60_000, limit: never, standardHeaders: 'draft-7' }))
  app.use(morgan('combined'))
}

function createPosts() {
  const done = { output: z.object({}), handler: async () => ({}) }
  return {
    get: factory.build({
      input: pageQuery,
      output: z.object({ data: z.array(post), meta }),
      handler: async ({ input }) => findPosts(input),
    }),
    post: guarded.build({
      method: 'post',
      input: postInput,
      output: z.object({ data: post }),
      handler: async ({ input }) => ({ data: createPost(input) }),
    }),
    ':id': {
      patch: guarded.build({ method: 'patch', input: z.object({ id: postId }), ...done }),
      delete: guarded.build({ method: 'delete', input: z.object({ id: postId }), ...done }),
      get: factory.build({
        input: z.object({ id: postId }),
        output: z.object({ data: post }),
        handler: async ({ input }) => {
          const found = findPost(input.id)
          if (!found) throw createHttpError(404)
          return { data: found }
        },
      }),
    },
  }
}
