import { type Response } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  put,
  success,
} from '../../src/index.ts'

const article = z.object({ slug: z.string(), title: z.string() })
const job = z.object({ job: z.string() })
const params = z.strictObject({ slug: z.string() })

const api = createApi({
  routes: createRegistry().use(
    '/api/articles',
    createRouter(
      [
        put(
          '/:slug',
          {
            params,
            response: { 200: article, 201: article.pick({ slug: true }), 202: job, 204: undefined },
          },
          (req, res) => {
            const { slug } = req.valid.params
            if (slug === 'same') return success(res)
            const status =
              slug === 'new' ? 201 : slug === 'later' ? 202 : slug === 'odd' ? 206 : 200
            const data = { slug, title: 'Title', job: 'j1', secret: 'x' }
            success(res.status(status), data)
          },
        ),
      ],
      { access: 'public' },
    ),
  ),
  auth: false,
  database: false,
  log: { level: 'silent' },
})

describe('a response by status', () => {
  it('selects the fields of each status', async () => {
    const agent = request(api.app)
    await agent.put('/api/articles/old').expect(200, { data: { slug: 'old', title: 'Title' } })
    await agent.put('/api/articles/new').expect(201, { data: { slug: 'new' } })
    await agent.put('/api/articles/later').expect(202, { data: { job: 'j1' } })
    await agent.put('/api/articles/same').expect(204, '')
  })

  it('rejects a status that it does not describe, also in production', async () => {
    const { body } = await request(api.app).put('/api/articles/odd').expect(500)
    expect(JSON.stringify(body)).not.toContain('secret')
  })

  it('is described with every status', () => {
    const content = (name: string) => ({
      'application/json': {
        schema: { properties: { data: { $ref: `#/components/schemas/${name}` } } },
      },
    })
    expect(api.openapi?.paths['/api/articles/{slug}']).toMatchObject({
      put: {
        operationId: 'replaceArticle',
        responses: {
          200: { description: 'OK.', content: content('Article') },
          201: { description: 'Created.', content: content('ReplaceArticleCreated') },
          202: { description: 'Accepted.', content: content('ReplaceArticleAccepted') },
          204: { description: 'No Content.' },
        },
      },
    })
    expect(api.openapi?.paths['/api/articles/{slug}']).not.toHaveProperty(
      'put.responses.204.content',
    )
  })

  it('excludes a status of the route', () => {
    const route = put('/', { access: 'public', response: { 200: article }, status: 200 }, () => {})
    expect(() => createRouter([route])).toThrow(
      'The route PUT / has a status and a response by status. Leave out status: 200.',
    )
  })
})

// Routes with one status or several, whose handlers set a status or none, and send data or none.
const schemas = { data: z.object({ a: z.int() }), optional: z.object({ a: z.int() }).optional() }
const variants = [200, 201, 202, 203, 206, 299].flatMap((status) =>
  [undefined, schemas.data, schemas.optional].flatMap((response) =>
    [undefined, status, 204, 299].flatMap((set) => [
      { status, response, set },
      { status: undefined, response: { [status]: response, 204: undefined }, set },
      { status: undefined, response: { [status]: response, 200: schemas.data }, set },
    ]),
  ),
)

it('is what the document says, or an error', async () => {
  const router = createRouter(
    variants.map(({ status, response, set }, index) =>
      defineRoute({
        method: 'post',
        path: `/v${index}`,
        access: 'public',
        query: z.strictObject({ data: z.boolean() }),
        status,
        response,
        handler(req, res: Response) {
          if (set !== undefined) res.status(set)
          success(res, req.valid.query.data ? { a: 1 } : undefined)
        },
      }),
    ),
  )
  const service = createApi({
    routes: createRegistry().use('/api', router),
    auth: false,
    database: false,
    log: { level: 'silent' },
    rateLimit: false,
  })
  const agent = request(service.app)
  let served = 0
  for (const [index, { response, set }] of variants.entries()) {
    const described: object = Object(service.openapi?.paths[`/api/v${index}`]).post.responses
    for (const hasData of [true, false]) {
      // Only the compiler rejects data that no schema describes.
      if (hasData && response === undefined) continue
      const sent = await agent.post(`/api/v${index}?data=${hasData}`)
      if (sent.status === 500) continue
      served++
      expect(Object.keys(described)).toContain(String(sent.status))
      const hasContent = Object.hasOwn(Reflect.get(described, sent.status), 'content')
      expect([index, hasContent, sent.text !== '']).toEqual([index, hasData, hasData])
      if (set !== undefined && set !== 200) expect([set, sent.status]).toEqual([set, set])
    }
  }
  expect(served).toBeGreaterThan(variants.length / 2)
})

it.each([
  ['201 with data', 201, true],
  ['202 without data', 202, false],
])(
  'one status is sent without being repeated in the handler: %s',
  async (_title, status, hasData) => {
    const response = hasData ? article : undefined
    const route = put('/', { access: 'public', status, response }, (_req, res: Response) =>
      success(res, hasData ? { slug: 'a', title: 'A' } : undefined),
    )
    const routes = createRegistry().use('/api/one', createRouter([route]))
    const one = createApi({ routes, auth: false, database: false, log: { level: 'silent' } })
    const { text } = await request(one.app).put('/api/one').expect(status)
    expect(text !== '').toBe(hasData)
  },
)
