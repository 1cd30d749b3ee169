import { Ajv2020 } from 'ajv/dist/2020.js'
import { type Response } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type Api,
  type ApiConfig,
  type ApiRequest,
  createApi,
  createRegistry,
  createRouter,
  get,
  type Route,
  success,
} from '../../src/index.ts'
import { listMeta } from '../../src/resource.ts'

const article = z.object({ id: z.string(), title: z.string(), draft: z.boolean().optional() })
const one = { id: '1', title: 'One' }
const two = { id: '2', title: 'Two', draft: true }
const page = { page: 1, limit: 20, total: 2, pages: 1 }

function make(route: Route, options: Partial<ApiConfig> = {}): Api {
  const routes = createRegistry().use('/api/articles', createRouter([route]))
  const quiet = { auth: false, database: false, rateLimit: false } as const
  return createApi({ routes, ...quiet, log: { level: 'silent' }, ...options })
}

// The body of a response, once the document has accepted it, with no member that it does not name.
async function getValid(api: Api, path = '/api/articles'): Promise<unknown> {
  const { body } = await request(api.app).get(path).expect(200)
  const document = JSON.parse(JSON.stringify(api.openapi), (key, value) =>
    key !== 'properties' && value?.type === 'object' && value.properties
      ? { ...value, additionalProperties: false }
      : value,
  )
  const ajv = new Ajv2020({ strict: false })
  const { schema } = document.paths['/api/articles'].get.responses[200].content['application/json']
  const isValid = ajv.validate({ ...schema, components: document.components }, body)
  expect(ajv.errorsText(ajv.errors)).toBe('No errors')
  expect(isValid).toBe(true)
  return body
}

const list = { access: 'public', response: article.array(), meta: listMeta } as const

const withSecret = { ...one, secret: 'x' }

describe('the OpenAPI document with an envelope', () => {
  it('describes a renamed member: { user: … }', async () => {
    const api = make(
      get(
        '/',
        { access: 'public', response: article, envelope: (user) => ({ user }) },
        (_req, res) => success(res, withSecret),
      ),
    )
    expect(await getValid(api)).toEqual({ user: one })
  })

  it('describes members picked from meta, of pages and of cursors', async () => {
    let meta: object = page
    const api = make(
      get(
        '/',
        {
          ...list,
          envelope: (articles, { total, nextCursor }) => ({
            articles,
            articlesCount: total,
            next: nextCursor,
          }),
        },
        (_req, res) => success(res, [one, two], meta),
      ),
    )
    expect(await getValid(api)).toEqual({ articles: [one, two], articlesCount: 2 })
    meta = { limit: 20, nextCursor: 'abc' }
    expect(await getValid(api)).toEqual({ articles: [one, two], next: 'abc' })
  })

  it('describes merged meta', async () => {
    const api = make(
      get('/', { ...list, envelope: (items, meta) => ({ ...meta, items }) }, (_req, res) =>
        success(res, [one], page),
      ),
    )
    expect(await getValid(api)).toEqual({ ...page, items: [one] })
  })

  it('describes data merged with constants', async () => {
    const api = make(
      get(
        '/',
        { access: 'public', response: article, envelope: (data) => ({ ok: true, ...data }) },
        (_req, res) => success(res, one),
      ),
    )
    expect(await getValid(api)).toEqual({ ok: true, ...one })
  })

  it('describes a bare array', async () => {
    const api = make(
      get(
        '/',
        { access: 'public', response: article.array(), envelope: (data) => data },
        (_req, res) => success(res, [one, two]),
      ),
    )
    expect(await getValid(api)).toEqual([one, two])
  })

  it('describes JSON:API', async () => {
    const api = make(
      get(
        '/',
        {
          ...list,
          envelope: (articles, { total }) => ({
            jsonapi: { version: '1.1' },
            data: articles.map(({ id, ...attributes }) => ({ type: 'articles', id, attributes })),
            meta: { total },
          }),
        },
        (_req, res) => success(res, [one, two], page),
      ),
    )
    expect(await getValid(api)).toEqual({
      jsonapi: { version: '1.1' },
      data: [
        { type: 'articles', id: '1', attributes: { title: 'One' } },
        { type: 'articles', id: '2', attributes: { title: 'Two', draft: true } },
      ],
      meta: { total: 2 },
    })
  })

  it('describes the envelope of the API, which a route replaces', async () => {
    const envelope: ApiConfig['envelope'] = (result, meta) => ({
      ok: true,
      result,
      count: meta?.['total'],
    })
    const handler = (_req: ApiRequest, res: Response): void => success(res, [one], page)
    expect(await getValid(make(get('/', list, handler), { envelope }))).toEqual({
      ok: true,
      result: [one],
      count: 2,
    })
    const own = make(get('/', { ...list, envelope: (articles) => ({ articles }) }, handler), {
      envelope,
    })
    expect(await getValid(own)).toEqual({ articles: [one] })
    const single = get('/', { access: 'public', response: article }, (_req, res) =>
      success(res, one),
    )
    expect(await getValid(make(single, { envelope }))).toEqual({ ok: true, result: one })
  })
})

describe('an envelope that cannot be described', () => {
  it('is refused when the API is created, with the route and the fix', () => {
    const route = get(
      '/',
      { ...list, envelope: (articles) => ({ articles, count: articles.length }) },
      (_req, res) => success(res, [one], page),
    )
    expect(() => make(route)).toThrow(
      "The envelope of GET /api/articles cannot be described: it reads 'length' of data. An envelope places data, meta, their members and constants. Compute other values in the handler and pass them as meta, or describe the whole body as response and write envelope: (body) => body.",
    )
    const envelope: ApiConfig['envelope'] = (data) => ({ data, at: new Date() })
    const plain = get('/', { access: 'public' }, (_req, res) => success(res))
    expect(() => make(plain, { envelope })).toThrow('it returns a Date')
  })

  it('is an error outside production when it decides by a value', async () => {
    const route = get(
      '/',
      {
        access: 'public',
        response: article,
        envelope: ({ draft }) => ({ state: draft ? 'draft' : 'live' }),
      },
      (_req, res) => success(res, one),
    )
    const lines: string[] = []
    const api = make(route, { log: { stream: { write: (line: string) => void lines.push(line) } } })
    await request(api.app).get('/api/articles').expect(500)
    expect(lines.join('')).toContain(
      'The envelope of GET /api/articles returns another body than the OpenAPI document describes.',
    )
    // In production the response is what the document says.
    const production = make(route, { environment: 'production' })
    await request(production.app).get('/api/articles').expect(200, { state: 'draft' })
  })

  it('cannot leave out meta that the document describes', async () => {
    const route = get('/', list, (_req, res) => success(res, [one]))
    const lines: string[] = []
    const api = make(route, { log: { stream: { write: (line: string) => void lines.push(line) } } })
    await request(api.app).get('/api/articles').expect(500)
    expect(lines.join('')).toContain(
      'GET /api/articles describes meta, but success() was called without it.',
    )
  })
})
