import { AsyncLocalStorage } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type RequestHandler } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  ApiError,
  type ApiConfig,
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  type OwnStages,
  type StageName,
  success,
} from '../../src/index.ts'
import { stageNames } from '../../src/lib/stage/stage-names.ts'
import { createStage, ended } from '../../src/pipeline.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
const local = new AsyncLocalStorage<string>()
const routes = createRegistry().use(
  '/api/things',
  createRouter([
    defineRoute({
      method: 'get',
      path: '/',
      access: 'public',
      response: z.object({ tenant: z.string().optional() }),
      handler: (_req, res) => success(res, { tenant: local.getStore() }),
    }),
    defineRoute({
      method: 'post',
      path: '/',
      access: 'user',
      body: z.strictObject({ name: z.string() }),
      response: z.object({ name: z.string() }),
      handler: (req, res) => success(res, req.valid.body),
    }),
  ]),
)

function create(stages: OwnStages | undefined, config: Partial<ApiConfig> = {}) {
  return createApi({
    name: 'stages',
    environment: 'test',
    routes,
    database: false,
    auth: { secrets: ['x'.repeat(43)] },
    log: { logger: silent },
    ...config,
    stages,
  })
}

// The names in the picture of docs/pipeline.md, from top to bottom.
const document = readFileSync(
  path.join(import.meta.dirname, '../../../../docs/pipeline.md'),
  'utf8',
)
const picture = /```text\n([\s\S]*?)```/.exec(document)?.[1] ?? ''
const drawn = Array.from(picture.matchAll(/│ (\w+) +│/g), ([, name = '']) => name)

describe('stages of the application', () => {
  it('run before and after each stage, in the order that docs/pipeline.md draws', async () => {
    const seen: string[] = []
    const note =
      (text: string): RequestHandler =>
      (_req, _res, next) => {
        seen.push(text)
        next()
      }
    const all = (place: string) =>
      Object.fromEntries(drawn.map((name) => [name, note(`${place} ${name}`)]))
    const api = create({ before: all('before'), after: all('after') })
    api.app.get('/own', (_req, res) => {
      seen.push('own')
      res.json({ own: true })
    })
    await request(api.app).get('/own').expect(200)
    expect(drawn).toEqual(stageNames)
    expect(seen).toEqual([...drawn.flatMap((name) => [`before ${name}`, `after ${name}`]), 'own'])
    seen.length = 0
    await request(api.app).get('/api/things').expect(200)
    expect(seen.at(-1)).toBe('before routes')
  })

  it('find a place also where the stage is off', async () => {
    const seen: string[] = []
    const note: RequestHandler = (req, _res, next) => {
      seen.push(req.path)
      next()
    }
    const places = { authentication: note, rateLimit: [note, note], health: note, metrics: note }
    const api = create({ after: places }, { auth: false, rateLimit: false, health: false })
    await request(api.app).get('/api/things').expect(200)
    expect(seen).toHaveLength(5)
  })

  it('are where the picture shows them', async () => {
    const facts: Record<string, unknown> = {}
    const read =
      (name: string, header: string): RequestHandler =>
      (_req, res, next) => {
        facts[name] = res.getHeader(header) !== undefined
        next()
      }
    const api = create({
      before: {
        requestId: read('before requestId', 'X-Request-Id'),
        securityHeaders: read('before securityHeaders', 'X-Content-Type-Options'),
        rateLimit: read('before rateLimit', 'RateLimit'),
      },
      after: {
        requestId: read('after requestId', 'X-Request-Id'),
        securityHeaders: read('after securityHeaders', 'X-Content-Type-Options'),
        rateLimit: read('after rateLimit', 'RateLimit'),
        authentication: createStage((req) => {
          facts['after authentication'] = req.authenticator !== undefined
        }),
      },
    })
    await request(api.app).get('/api/things').expect(200)
    expect(facts).toEqual({
      'before requestId': false,
      'after requestId': true,
      'before securityHeaders': false,
      'after securityHeaders': true,
      'before rateLimit': false,
      'after rateLimit': true,
      'after authentication': true,
    })
  })

  const failing: [string, RequestHandler, number, string][] = [
    [
      'throws',
      () => {
        throw new ApiError('forbidden')
      },
      403,
      'forbidden',
    ],
    [
      'rejects',
      async () => {
        await Promise.resolve()
        throw new ApiError('conflict')
      },
      409,
      'conflict',
    ],
    [
      'passes an error to next',
      (_req, _res, next) => next(new Error('secret')),
      500,
      'internal_error',
    ],
    [
      'throws what is not an error',
      () => {
        throw undefined
      },
      500,
      'internal_error',
    ],
    [
      'passes a status',
      (_req, _res, next) => next(Object.assign(new Error('x'), { status: 410 })),
      410,
      'gone',
    ],
  ]
  it.each(failing)('that %s get the error format', async (_name, stage, status, code) => {
    for (const places of [
      { before: { requestId: stage } },
      { after: { cors: stage } },
      { before: { routes: [stage] } },
      { after: { routes: stage } },
    ]) {
      const api = create(places)
      const target = places.after && 'routes' in places.after ? '/nowhere' : '/api/things'
      const response = await request(api.app).get(target)
      expect([response.status, response.body.code]).toEqual([status, code])
      expect(response.headers['content-type']).toContain('application/problem+json')
      expect(response.text).not.toContain('secret')
    }
  })

  it('get the own error format', async () => {
    const format = (error: ApiError) => ({ contentType: 'text/plain', body: `no: ${error.code}` })
    const refuse = () => {
      throw new ApiError('forbidden')
    }
    const api = create({ before: { authentication: refuse } }, { errors: { format } })
    expect((await request(api.app).get('/api/things').expect(403)).text).toBe('no: forbidden')
  })

  it('can wait, end the response, and pass a context on', async () => {
    const tenant: RequestHandler = async (req, _res, next) => {
      local.enterWith(String(req.headers['x-tenant'] ?? 'none'))
      await new Promise((resolve) => setTimeout(resolve, 5))
      next()
    }
    const version = createStage((req, res) => {
      if (req.path !== '/version') return
      res.json({ version: 1 })
      return ended
    })
    const plain: RequestHandler = (req, res, next) => {
      if (req.path === '/plain') res.send('plain')
      else next()
    }
    const api = create({ before: { cors: [version, plain], routes: tenant } })
    await request(api.app).get('/version').expect(200, { version: 1 })
    await request(api.app).get('/plain').expect(200, 'plain')
    const all = await Promise.all(
      ['a', 'b'].map((name) => request(api.app).get('/api/things').set('X-Tenant', name)),
    )
    expect(all.map(({ body }) => body.data.tenant)).toEqual(['a', 'b'])
  })

  it.each([
    [
      { before: { authentification: [] } },
      /no place 'authentification': did you mean authentication/,
    ],
    [{ after: { dinner: [] } }, /no place 'dinner': use requestId, accessLog/],
    [{ instead: {} }, /must be \{ before, after \}, not 'instead'/],
    [{ before: { cors: 'x' } }, /must be Express middleware or stages/],
    [{ before: { cors: [undefined] } }, /must be Express middleware or stages/],
    [{ before: [] }, /must name stages/],
    // oxlint-disable-next-line max-params -- an error handler of Express
    [
      { after: { routes: (_e: unknown, _q: unknown, _s: unknown, _n: unknown) => {} } },
      /errors\.format/,
    ],
  ])('are refused at the start: %j', (stages, message) => {
    expect(() => create(stages as OwnStages)).toThrow(message)
  })

  it('have names that are checked by the types', () => {
    const name: StageName = 'rateLimit'
    // @ts-expect-error no such stage
    const wrong: OwnStages = { before: { rateLimits: [] } }
    expect([name, Object.keys(wrong)]).toEqual(['rateLimit', ['before']])
  })
})
