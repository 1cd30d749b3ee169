import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, put, success } from '../../src/index.ts'

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
