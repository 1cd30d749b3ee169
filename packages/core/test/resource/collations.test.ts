import { model, Schema, Types } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createApi,
  createRegistry,
  createRouter,
  defineRule,
  get,
  type Route,
  success,
} from '../../src/index.ts'
import { findSlowFields } from '../../src/lib/resource/missing-indexes.ts'
import {
  defineListQuery,
  defineView,
  findPage,
  listMeta,
  objectId,
  type ReadOptions,
  toOutputSchema,
} from '../../src/resource.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

const collation = { locale: 'en', strength: 2 } as const
const fields = {
  title: { type: String, required: true },
  team: { type: String, required: true },
  note: String,
  owner: { type: Schema.Types.ObjectId, required: true },
  rank: { type: Number, required: true },
} as const
const BookModel = model(
  'CollatedBook',
  new Schema(fields, { timestamps: true }).index({ title: 1, _id: 1 }, { collation }),
)
const book = toOutputSchema(
  z.strictObject({
    title: z.string(),
    team: z.string(),
    note: z.string().optional(),
    owner: objectId,
    rank: z.int(),
  }),
)
const query = defineListQuery(book, {
  filters: ['title', 'note', 'rank', 'owner'],
  sort: ['title', 'note', 'rank'],
  collation,
})

// Scopes that compare text, besides that of an owner.
const scopes: Readonly<Record<string, (id: string) => Readonly<Record<string, unknown>>>> = {
  owner: (owner) => ({ owner }),
  equal: () => ({ team: 'Red' }),
  eq: () => ({ team: { $eq: 'Red' } }),
  ne: () => ({ team: { $ne: 'RED', $nin: ['rEd', 'blue'] } }),
  in: () => ({ $and: [{ team: { $in: ['Red', 'Green'] } }, { rank: { $gte: 0, $lt: 100 } }] }),
  or: () => ({ $or: [{ team: 'Red' }, { owner: new Types.ObjectId() }] }),
  none: () => ({ $nor: [{ team: 'red' }, { team: { $in: ['RED', 'rEd', 'blue'] } }] }),
  range: () => ({ team: { $gt: 'A' } }),
  expression: () => ({ $expr: { $eq: ['$team', 'Red'] } }),
}
const routes = Object.entries(scopes).map(([name, toScope]) =>
  get(
    `/${name}`,
    {
      access: defineRule(`scope_${name}`, (user) => toScope(user.id)),
      query,
      response: book.array(),
      meta: listMeta,
    },
    async (req, res) => {
      const page = await findPage(BookModel, req.valid.query, { scope: req.scope })
      success(res, page.data, page.meta)
    },
  ),
)
const view = defineView(book, { fields: ['rank'] })
const listRanks = defineListQuery(book, { sort: ['title'], collation, view })
const everything: ReadOptions = { scope: {} }
const books = createRouter(
  ({ get: read }) => [
    read('/', { query, response: book.array(), meta: listMeta }, async (req, res) => {
      const { data, meta } = await findPage(BookModel, req.valid.query, everything)
      success(res, data, meta)
    }),
    read(
      '/ranks',
      { query: listRanks, response: view.response.array(), meta: listMeta },
      async (req, res) => {
        const { data, meta } = await findPage(BookModel, req.valid.query, everything)
        success(res, data, meta)
      },
    ),
    read('/query', { query, response: book.array(), meta: listMeta }, async (req, res) => {
      const { data, meta } = await findPage(BookModel.find().lean(), req.valid.query)
      success(res, data, meta)
    }),
    read('/computed', { query, response: book.array(), meta: listMeta }, async (req, res) => {
      const { data, meta } = await findPage(BookModel.aggregate([]), req.valid.query)
      success(res, data, meta)
    }),
  ],
  { access: 'public' },
)
const api = createApi({
  name: 'collations',
  environment: 'test',
  auth: { limits: false },
  rateLimit: false,
  log: { level: 'silent' },
  routes: createRegistry().use('/books', books).use('/scoped', createRouter(routes)),
})
let client: TestClient
const titles = ['banana', 'Apple', 'cherry', 'apple', 'Banana', 'APPLE', 'Éclair', 'eclair', 'date']
const wide = ['fi', 'ﬁ', 'FI', 'Ａ', 'a']
const owner = new Types.ObjectId()

beforeAll(async () => {
  client = await createTestClient(api)
})
afterAll(() => client.stop())
beforeEach(async () => {
  await BookModel.deleteMany({})
  const documents = [...titles, ...wide].map((title, rank) => ({ title, rank, team: 'x', owner }))
  await BookModel.insertMany(
    documents.map((one) => ({
      ...one,
      ...(one.rank % 3 > 0 && { note: one.rank % 2 ? 'N' : 'n' }),
    })),
  )
})

interface Row {
  readonly id: string
  readonly title: string
  readonly note?: string
  readonly rank: number
}

async function find(path: string, parameters: Record<string, string> = {}): Promise<Row[]> {
  const { body } = await client.request
    .get(path)
    .query({ limit: '100', ...parameters })
    .expect(200)
  return body.data
}

async function readAll(path: string, parameters: Record<string, string>): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined = ''
  while (cursor !== undefined) {
    const request = client.request.get(path).query({ ...parameters, cursor })
    const page: { data: Row[]; meta: { nextCursor?: string } } = (await request.expect(200)).body
    rows.push(...page.data)
    cursor = page.meta.nextCursor
  }
  return rows
}

const collator = new Intl.Collator('en', { sensitivity: 'accent' })
const compareIds = (a: Row, b: Row): number => (a.id < b.id ? -1 : 1)

describe('a list with a collation', () => {
  it.each(['/books', '/books/query', '/books/computed'])(
    '%s sorts text by it, and ties by id',
    async (path) => {
      const rows = await find(path, { sort: 'title' })
      expect(rows).toHaveLength(titles.length + wide.length)
      const expected = rows.toSorted(
        (a, b) => collator.compare(a.title, b.title) || compareIds(a, b),
      )
      expect(rows).toEqual(expected)
      const plain = rows.filter(({ title }) => titles.includes(title)).map(({ title }) => title)
      const order = ['Apple', 'apple', 'APPLE', 'banana', 'Banana', 'cherry', 'date', 'eclair']
      expect(plain).toEqual([...order, 'Éclair'])
      const descending = await find(path, { sort: '-title' })
      expect(descending).toEqual(rows.toReversed())
    },
  )

  it.each(
    ['/books', '/books/query', '/books/computed'].flatMap((path) =>
      ['title', '-title', 'note,-title', '-note,title', 'rank'].flatMap((sort) =>
        ['1', '2', '3', '5'].map((limit) => [path, sort, limit] as const),
      ),
    ),
  )('%s by %s reads all pages of %s by cursor, each document once', async (path, sort, limit) => {
    const rows = await readAll(path, { sort, limit })
    expect(rows.map(({ id }) => id)).toEqual((await find(path, { sort })).map(({ id }) => id))
  })

  it('reads the pages of a view, whose documents lack the field of the order', async () => {
    const rows = await readAll('/books/ranks', { sort: 'title', fields: 'rank', limit: '2' })
    const all = await find('/books', { sort: 'title' })
    expect(rows).toEqual(all.map(({ id, rank }) => ({ id, rank })))
  })

  it.each(['/books', '/books/query', '/books/computed'])(
    '%s filters and counts by it',
    async (path) => {
      const count = async (parameters: Record<string, string>): Promise<unknown> => {
        const { body } = await client.request.get(path).query({ ...parameters, limit: '1' })
        return body.meta.total
      }
      expect(await count({ title: 'aPPLE' })).toBe(3)
      expect(await count({ 'title[in]': 'apple,BANANA' })).toBe(5)
      expect(await count({ 'title[ne]': 'apple', rank: '1' })).toBe(0)
      expect(await count({ title: 'eclair' })).toBe(1)
      expect(await count({ 'title[startsWith]': 'app' })).toBe(1)
      expect(await count({ 'title[contains]': 'app' })).toBe(3)
    },
  )

  it('applies it only to requests that sort or filter by text', () => {
    const collationOf = (parameters: object): unknown => query.parse(parameters).collation
    for (const parameters of [
      {},
      { sort: 'rank' },
      { rank: '1' },
      { 'title[contains]': 'a' },
      { 'note[exists]': 'true' },
    ]) {
      expect([parameters, collationOf(parameters)]).toEqual([parameters, undefined])
    }
    expect(collationOf({ title: 'a' })).toEqual(collation)
    expect(collationOf({ 'title[in]': 'a' })).toEqual(collation)
    expect(collationOf({ sort: '-rank,title' })).toEqual(collation)
    const sorted = defineListQuery(book, { defaultSort: ['title'], collation })
    expect(sorted.parse({}).collation).toEqual(collation)
  })

  it('binds cursors to the collation', () => {
    const other = defineListQuery(book, { sort: ['title'], collation: { locale: 'de' } })
    const none = defineListQuery(book, { sort: ['title'] })
    const prints = [query, other, none].map((one) => one.parse({ sort: 'title' }).fingerprint)
    expect(new Set(prints).size).toBe(3)
  })
})

describe('the scope of a list with a collation', () => {
  let headers: Record<string, string>
  beforeEach(async () => {
    await BookModel.deleteMany({})
    const user = await client.signUp()
    ;({ headers } = user)
    const teams = ['Red', 'red', 'RED', 'rEd', 'blue', 'Red\n', 'Red.']
    await BookModel.insertMany(
      teams.map((team, rank) => ({
        title: `a${rank}`,
        rank,
        team,
        owner: team === 'Red' ? user.user.id : owner,
      })),
    )
  })

  it.each([
    ['owner', [0]],
    ['equal', [0]],
    ['eq', [0]],
    ['ne', [0, 1, 5, 6]],
    ['in', [0]],
    ['or', [0]],
    ['none', [0, 5, 6]],
  ])('compares text exactly: %s', async (name, ranks) => {
    for (const parameters of [{}, { sort: 'title' }, { title: 'A0' }, { sort: '-title' }]) {
      const request = client.request.get(`/scoped/${name}`).query(parameters).set(headers)
      const { body } = await request.expect(200)
      const found: number[] = body.data.map(({ rank }: Row) => rank)
      const expected = 'title' in parameters ? ranks.filter((rank) => rank === 0) : ranks
      expect(found.toSorted((a, b) => a - b)).toEqual(expected)
      expect(body.meta.total).toBe(expected.length)
    }
  })

  it.each(['range', 'expression'])(
    'is an error if it compares text in a way that cannot be exact: %s',
    async (name) => {
      await client.request.get(`/scoped/${name}?sort=rank`).set(headers).expect(200)
      await client.request.get(`/scoped/${name}?sort=title`).set(headers).expect(500)
    },
  )

  it('is exact in the filter of a query, too', async () => {
    const collated = query.parse({ sort: 'title' })
    const { data, meta } = await findPage(BookModel.find({ team: 'Red' }).lean(), collated)
    expect(data.map(({ rank }) => rank)).toEqual([0])
    expect(meta).toMatchObject({ total: 1 })
    const pattern = await findPage(BookModel.find({ team: /^red$/i }).lean(), collated)
    // In MongoDB, `$` also matches before a line break at the end.
    expect(pattern.data).toHaveLength(5)
    const spelled = { team: { $regex: '^Re', $options: '', $exists: true, $type: 'string' } }
    expect((await findPage(BookModel, collated, { scope: spelled })).data).toHaveLength(3)
    const range = BookModel.find({ team: { $gt: 'A' } }).lean()
    await expect(findPage(range, collated)).rejects.toThrow(/query compares text by \$gt/)
  })

  it('names the operator in the error', async () => {
    const collated = query.parse({ sort: 'title' })
    for (const [scope, name] of [
      [{ team: { $gt: 'A' } }, /by \$gt,.*leave out the collation/],
      [{ team: { $not: { $eq: 'A' } } }, /by \$not,/],
      [{ $expr: { $eq: ['$team', 'A'] } }, /by \$expr,/],
    ] as const) {
      await expect(findPage(BookModel, collated, { scope })).rejects.toThrow(name)
    }
  })
})

describe('the index of a list with a collation', () => {
  const toRouter = (schema: Schema, name: string) => {
    const route: Route = get('/', { access: 'public', query, response: book.array() }, () => {})
    return createRouter([route], { model: model(name, schema) })
  }

  it('has the collation for text, and none for other fields', () => {
    const schema = new Schema(fields)
      .index({ title: 1 })
      .index({ note: 1 }, { collation: { locale: 'en', strength: 1 } })
      .index({ rank: 1 }, { collation })
      .index({ owner: 1 })
    expect(findSlowFields(toRouter(schema, 'SlowCollated'))).toEqual([
      `SlowCollated has no index with the collation of its list for 'title', which its list filters by: each such request reads the whole collection. Add to the model: schema.index({ title: 1, _id: 1 }, { collation: {"locale":"en","strength":2} }).`,
      expect.stringContaining("no index with the collation of its list for 'note'"),
      expect.stringContaining("no index for 'rank'"),
    ])
  })

  it('is found regardless of the order of its members', () => {
    const schema = new Schema(fields)
      .index({ title: 1 }, { collation: { strength: 2, locale: 'en' } })
      .index({ note: 1, _id: 1 }, { collation })
      .index({ rank: 1 })
      .index({ owner: 1 })
    expect(findSlowFields(toRouter(schema, 'FastCollated'))).toEqual([])
  })
})
