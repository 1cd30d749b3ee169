import { createApi, createRegistry, createRouter, get, success } from '@create-api/core'
import { withBulk } from '@create-api/core/bulk'
import { live } from '@create-api/core/live'
import {
  createDocument,
  defineListQuery,
  findPage,
  listMeta,
  patchDocument,
  toPatchSchema,
  versioned,
} from '@create-api/core/resource'
import { createTestClient, type TestClient } from '@create-api/core/testing'
import { model, Schema } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

const body = z.strictObject({ slug: z.string(), title: z.string().optional() })
const response = body.extend({ id: z.string() })
const params = z.object({ slug: z.string() })
const text = { access: 'public', response: z.string() } as const

let client: TestClient

beforeAll(async () => {
  const schema = new Schema<z.infer<typeof body>>({ slug: String, title: String }).plugin(versioned)
  const Pages = model('ReservedPage', schema)
  const query = defineListQuery(response, { filters: ['slug'] })
  const pages = createRouter(
    ({ get: read, patch, post }) => [
      read(
        '/',
        {
          query,
          response: response.array(),
          meta: listMeta,
          live: live((list, options) => findPage(Pages, list, options)),
        },
        async (req, res) => {
          const { data, meta } = await findPage(Pages, req.valid.query, { scope: req.scope })
          success(res, data, meta)
        },
      ),
      read('/drafts', { response: z.string() }, (_req, res) => success(res, 'drafts')),
      post('/', { body, response, status: 201 }, async (req, res) => {
        const created = await createDocument(Pages, req.valid.body, { scope: req.scope })
        success(res.status(201), created)
      }),
      patch('/:slug', { params, body: body.partial(), response }, async (req, res) => {
        const options = { scope: req.scope, match: {}, schema: toPatchSchema(body) }
        const { slug } = req.valid.params
        success(res, await patchDocument(Pages, { slug }, { ...options, input: req.valid.body }))
      }),
    ],
    { access: 'public', model: Pages },
  )
  const own = createRouter([get('/', text, (_req, res) => success(res, 'own'))])
  const registry = createRegistry()
    .use('/api/pages', withBulk(pages))
    .use('/api/pages/archive', own)
    .use('/api/other', own)
  client = await createTestClient(
    createApi({ routes: registry, environment: 'test', rateLimit: false }),
  )
})
afterAll(() => client.stop())

describe('a key that is a word of a path', () => {
  it.each(['changes', 'bulk', 'drafts', 'archive'])('is refused: %s', async (slug) => {
    const { request } = client
    const expected = { errors: [{ in: 'body', pointer: '#/slug', code: 'reserved' }] }
    const created = await request.post('/api/pages').send({ slug }).expect(422)
    expect(created.body).toMatchObject(expected)
    await request
      .post('/api/pages')
      .send({ slug: `${slug}-1`, title: slug })
      .expect(201)
    const patched = await request.patch(`/api/pages/${slug}-1`).send({ slug }).expect(422)
    expect(patched.body).toMatchObject(expected)
    const items = [{ action: 'create', body: { slug } }]
    const bulk = await request.post('/api/pages/bulk').send({ items })
    expect(JSON.stringify(bulk.body)).toContain('"reserved"')
  })

  it('is another one elsewhere', async () => {
    for (const slug of ['other', 'pages', 'Changes', 'api']) {
      await client.request.post('/api/pages').send({ slug }).expect(201)
    }
  })
})
