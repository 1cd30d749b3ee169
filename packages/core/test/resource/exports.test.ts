import { get as httpGet } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { model, Schema } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { csv, ndjson, sendList } from '../../src/exports.ts'
import { createApi, createRegistry, createRouter, defineRule, role } from '../../src/index.ts'
import {
  decimal,
  defineListQuery,
  defineView,
  findPage,
  includeReferences,
  listMeta,
  objectId,
  restrict,
  toOutputSchema,
} from '../../src/resource.ts'
import { createTenants, member } from '../../src/tenants.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

const createAuthor = z.strictObject({ name: z.string() })
const author = toOutputSchema(createAuthor)
const AuthorModel = model(
  'ExportedAuthor',
  new Schema({ name: { type: String, required: true } }, { timestamps: true }),
)

const createLoan = z.strictObject({
  title: z.string(),
  note: z.string().nullable().optional(),
  price: decimal().optional(),
  count: z.int().optional(),
  open: z.boolean().optional(),
  tags: z.array(z.string()).default([]),
  place: z.strictObject({ city: z.string(), 'a,b': z.string().optional() }).optional(),
  extra: z.record(z.string(), z.number()).optional(),
  either: z.union([z.string(), z.strictObject({ x: z.number() })]).optional(),
  get child() {
    return z.strictObject({ name: z.string(), child: z.unknown().optional() }).optional()
  },
  owner: z.string().optional(),
  secret: restrict(z.string(), { readable: role('admin') }),
  by: objectId.optional(),
})
const loan = toOutputSchema(createLoan)
const view = defineView(loan, {
  fields: ['title', 'count', 'secret', 'place'],
  include: { by: { response: author, access: 'public' } },
})
const listLoans = defineListQuery(loan, {
  filters: ['title', 'count'],
  sort: ['title', 'count'],
  view,
})
const LoanModel = model(
  'ExportedLoan',
  new Schema(
    {
      title: { type: String, required: true },
      note: String,
      price: Schema.Types.Decimal128,
      count: Number,
      open: Boolean,
      tags: [String],
      place: new Schema({ city: String, 'a,b': String }, { _id: false }),
      extra: { type: Map, of: Number },
      either: Schema.Types.Mixed,
      child: Schema.Types.Mixed,
      owner: String,
      organization: Schema.Types.ObjectId,
      secret: String,
      by: { type: Schema.Types.ObjectId, ref: 'ExportedAuthor' },
    },
    { timestamps: true },
  ),
)

let visible: string | undefined
const ownLoans = defineRule('ownLoans', () => (visible === undefined ? true : { owner: visible }))
let onPage: (() => unknown) | undefined
const formats = [csv(), ndjson()]
const list = { query: listLoans, response: view.response.array(), meta: listMeta, formats }

const loans = createRouter((route) => [
  route.get('/', { access: 'optional', ...list }, (req, res) =>
    sendList(res, req.valid.query, async (query) => {
      await onPage?.()
      const { data, meta } = await findPage(LoanModel, query, { scope: req.scope })
      return { data: await includeReferences(LoanModel, data, { query }), meta }
    }),
  ),
])
const shared = createRouter((route) => [
  route.get('/', { access: member, ...list }, (req, res) =>
    sendList(res, req.valid.query, (query) => findPage(LoanModel, query, { scope: req.scope })),
  ),
])
const own = createRouter((route) => [
  route.get('/', { access: ownLoans, ...list }, (req, res) =>
    sendList(res, req.valid.query, async (query) => {
      await onPage?.()
      return findPage(LoanModel, query, { scope: req.scope })
    }),
  ),
])
const faulty = createRouter(
  (route) => [
    route.get('/unscoped', { access: ownLoans, ...list }, (req, res) =>
      sendList(res, req.valid.query, (query) => findPage(LoanModel, query, { scope: {} })),
    ),
    route.get('/numbered', list, (req, res) =>
      sendList(res, req.valid.query, () => findPage(LoanModel, req.valid.query, { scope: {} })),
    ),
  ],
  { access: 'optional' },
)

describe('exports of lists', () => {
  let client: TestClient

  beforeAll(async () => {
    const routes = createRegistry()
      .use('/api/loans', loans)
      .use('/api/own', own)
      .use('/api/shared', shared)
      .use('/api/faulty', faulty)
    const tenants = createTenants({ from: 'header' })
    const options = { name: 'loans', rateLimit: false, routes, tenants } as const
    client = await createTestClient(createApi(options))
    const { _id: by } = await AuthorModel.create({ name: '=Ada' })
    await LoanModel.create([
      {
        title: '=cmd()',
        note: 'a "quoted", text\nof two lines',
        price: '-12.50',
        count: -3,
        open: true,
        tags: ['a', 'b'],
        place: { city: 'Zürich', 'a,b': '1' },
        extra: { x: 1 },
        either: { x: 1 },
        child: { name: 'c', child: { deep: true } },
        secret: 's1',
        by,
      },
      { title: "'-x", note: null, either: '+1', owner: 'ada' },
    ])
    await LoanModel.insertMany(
      Array.from({ length: 248 }, (_, index) => ({
        title: `t${index}`,
        count: index % 7,
        owner: index % 2 === 0 ? 'ada' : 'bob',
      })),
    )
  })

  afterAll(() => client.stop())

  const fetchCsv = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    client.request.get(path).set({ Accept: 'text/csv', ...headers })
  const toLines = (text: string): readonly string[] => text.trimEnd().split('\r\n')

  it('sends the whole list as CSV, with a column for each field', async () => {
    const response = await fetchCsv('/api/loans').expect(200)
    expect(response.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="loans.csv"',
      vary: expect.stringContaining('Accept'),
    })
    const [header, first, second, ...others] = toLines(response.text)
    expect(header).toBe(
      'id,title,note,price,count,open,tags,place.city,"place.a,b",extra,either,child.name,child.child,owner,by,createdAt,updatedAt',
    )
    const [id, ...cells] = first?.split(',') ?? []
    expect(id).toMatch(/^[0-9a-f]{24}$/)
    expect(cells.slice(0, -3).join(',')).toBe(
      `'=cmd(),"a ""quoted"", text\nof two lines",-12.50,-3,true,"[""a"",""b""]",Zürich,1,"{""x"":1}","{""x"":1}",c,"{""deep"":true}",`,
    )
    expect(second).toMatch(/^[0-9a-f]{24},''-x,,,,,\[\],,,,'\+1,,,ada,,/)
    expect(others).toHaveLength(248)
    expect(new Set(others.map((line) => line.split(',')[0])).size).toBe(248)
  })

  it('sends the whole list as NDJSON, whose lines are the documents of JSON', async () => {
    const { text, headers } = await client.request
      .get('/api/loans?sort=-title&count=3')
      .set('Accept', 'application/x-ndjson')
      .buffer()
      .expect(200)
    const found = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const page = await client.request.get('/api/loans?sort=-title&count=3&limit=100').expect(200)
    expect(headers['content-disposition']).toContain('loans.ndjson')
    expect(found).toEqual(page.body.data)
    expect(found.length).toBeGreaterThan(30)
  })

  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['text/html, */*;q=0.8', 'application/json'],
    ['application/json, text/csv', 'application/json'],
    ['text/csv, application/json;q=0.9', 'text/csv'],
    ['text/*', 'text/csv'],
    ['application/*;q=0.1, application/x-ndjson', 'application/x-ndjson'],
    ['TEXT/CSV;charset=utf-8', 'text/csv'],
  ])('chooses the media type by Accept: %s', async (accept, type) => {
    const request = client.request.get('/api/loans?title=t1').buffer()
    const { headers } = await (accept === undefined ? request : request.set('Accept', accept))
    expect(headers['content-type']?.split(';')[0]).toBe(type)
  })

  it('rejects other media types', async () => {
    const { body } = await client.request
      .get('/api/loans')
      .set('Accept', 'text/html, text/csv;q=0')
      .expect(406)
    expect(body.detail).toBe(
      'Accept must allow one of application/json, text/csv, application/x-ndjson.',
    )
  })

  it.each(['page=2', 'limit=5', 'offset=1', 'cursor='])('rejects %s', async (query) => {
    const { body } = await fetchCsv(`/api/loans?${query}`).expect(400)
    const [name] = query.split('=')
    expect(body.errors).toEqual([
      {
        in: 'query',
        pointer: `#/${name}`,
        code: 'not_paged',
        detail: 'is only for JSON: other media types contain the whole list',
      },
    ])
  })

  it('has problems as problems', async () => {
    const { headers, body } = await fetchCsv('/api/loans?colour=red').expect(400)
    expect(headers['content-type']).toContain('application/problem+json')
    expect(body.code).toBe('invalid_query')
  })

  it('responds to HEAD without a body', async () => {
    const { headers, text } = await client.request
      .head('/api/loans')
      .set('Accept', 'text/csv')
      .expect(200)
    expect([headers['content-type'], text]).toEqual(['text/csv; charset=utf-8', undefined])
  })

  it('has the selected and included fields only', async () => {
    const selected = await fetchCsv('/api/loans?fields=title,place&title=t1')
    expect(toLines(selected.text)[0]).toBe('id,title,place.city,"place.a,b"')
    const { text } = await fetchCsv('/api/loans?fields=count&include=by&count=-3')
    const [header, first] = toLines(text)
    expect(header).toBe(
      'id,count,included.by.id,included.by.name,included.by.createdAt,included.by.updatedAt',
    )
    expect(first).toContain("'=Ada")
  })

  it('has restricted fields for callers who may read them', async () => {
    const admin = await client.signUp({ roles: ['admin'] })
    const user = await client.signUp()
    const lines = async (headers: Readonly<Record<string, string>>) =>
      toLines((await fetchCsv('/api/loans?count=-3', headers).expect(200)).text)
    expect((await lines(admin.headers)).join()).toContain('s1')
    expect((await lines(user.headers)).join()).not.toContain('s1')
    expect((await lines(user.headers))[0]).not.toContain('secret')
    await fetchCsv('/api/loans?fields=secret', user.headers).expect(400)
  })

  it('has documents of the scope only', async () => {
    const { headers } = await client.signUp()
    visible = 'ada'
    try {
      const { text } = await fetchCsv('/api/own', headers).expect(200)
      expect(toLines(text)).toHaveLength(126)
      expect(text).not.toContain('bob')
    } finally {
      visible = undefined
    }
  })

  it.each([
    ['the scope changes', () => (visible = 'bob')],
    ['reading fails', () => Promise.reject(new Error('The database is gone'))],
  ])('closes the connection when %s half-way', async (_event, change) => {
    const { headers } = await client.signUp()
    let pages = 0
    onPage = () => {
      pages += 1
      return pages === 2 ? change() : undefined
    }
    try {
      await expect(fetchCsv('/api/own', headers)).rejects.toThrow('aborted')
      expect(pages).toBeLessThanOrEqual(3)
    } finally {
      onPage = undefined
      visible = undefined
    }
  })

  it('closes the connection when the caller loses the access half-way', async () => {
    const user = await client.signUp()
    let pages = 0
    onPage = async () => {
      pages += 1
      if (pages === 1) {
        await client.request.post('/api/v1/auth/logout-all').set(user.headers).expect(204)
      }
    }
    try {
      await expect(fetchCsv('/api/own', user.headers)).rejects.toThrow('aborted')
      expect(pages).toBe(1)
    } finally {
      onPage = undefined
    }
  })

  it('is complete for a member of an organization that a header names', async () => {
    const { request, scope } = await client.createCaller('/api/shared')
    const { organization } = scope
    await LoanModel.insertMany(Array.from({ length: 150 }, () => ({ title: 'x', organization })))
    const { text } = await request.get('/api/shared').set('Accept', 'text/csv').expect(200)
    expect(toLines(text)).toHaveLength(151)
    await LoanModel.deleteMany({ organization })
  })

  it('stops reading when the client has disconnected', async () => {
    let pages = 0
    onPage = async () => {
      pages += 1
      await wait(20)
    }
    try {
      const request = httpGet(`${client.url}/api/loans`, { headers: { Accept: 'text/csv' } })
      request.on('error', () => {})
      await new Promise<void>((resolve) => {
        request.once('response', (response) => {
          response.once('data', () => {
            request.destroy()
            resolve()
          })
        })
      })
      await wait(200)
      expect(pages).toBeLessThan(3)
    } finally {
      onPage = undefined
    }
  })

  it('needs a handler that reads the scope, and pages by cursor', async () => {
    const { headers } = await client.signUp()
    visible = 'ada'
    await fetchCsv('/api/faulty/unscoped', headers).expect(500)
    visible = undefined
    await fetchCsv('/api/faulty/numbered').expect(500)
    await client.request.get('/api/faulty/numbered').expect(200)
  })

  it('needs a GET route whose response is a list', () => {
    for (const response of [author, undefined]) {
      const router = createRouter((route) => [
        route.get('/', { access: 'public', response, formats }, () => {}),
      ])
      expect(() =>
        createApi({ name: 'x', auth: false, routes: createRegistry().use('/api/x', router) }),
      ).toThrow('GET /api/x has formats, so it must be a GET route whose response is a list')
    }
  })

  it('is part of the OpenAPI document', async () => {
    const { body } = await client.request.get('/openapi.json').expect(200)
    const { description, responses } = body.paths['/api/loans'].get
    expect(Object.keys(responses['200'].content)).toEqual([
      'application/json',
      'text/csv',
      'application/x-ndjson',
    ])
    expect(description).toContain('chosen by `Accept`')
  })
})
