import mongoose, { model, Schema, Types } from 'mongoose'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, defineRoute, success } from '../../src/index.ts'
import {
  defineListQuery,
  defineView,
  findPage,
  listMeta,
  objectId,
  offsetMeta,
  toOutputSchema,
  versioned,
} from '../../src/resource.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

const AuthorModel = model('ListAuthor', new Schema({ name: { type: String, required: true } }))
const TagModel = model('ListTag', new Schema({ name: String, posts: [Schema.Types.ObjectId] }))
const postSchema = new Schema(
  {
    title: { type: String, required: true },
    draft: { type: Boolean, required: true },
    author: { type: Schema.Types.ObjectId, ref: 'ListAuthor', required: true },
    place: { city: String },
    publishedAt: Date,
    likes: { type: Number, required: true },
  },
  { timestamps: true },
)
const PostModel = model('ListPost', postSchema.plugin(versioned))

const post = toOutputSchema(
  z.strictObject({
    title: z.string(),
    author: objectId,
    likes: z.int(),
    publishedAt: z.iso.datetime().optional(),
  }),
)
const listPosts = defineListQuery(post, {
  sort: ['title', 'likes', 'publishedAt'],
  defaultSort: ['title'],
  filters: {
    likes: ['gte', 'eq'],
    publishedAt: ['lt'],
    writer: { field: 'author' },
    city: { field: 'place.city', schema: z.string() },
    async tagged(name) {
      const tag = await TagModel.findOne({ name }).lean()
      return { _id: { $in: tag?.posts ?? [] } }
    },
  },
})

// What an aggregation makes: the name of the author and a number that no document has.
const popular = post.extend({ authorName: z.string(), score: z.number() })
const listPopular = defineListQuery(popular, {
  sort: ['score', 'authorName', 'publishedAt'],
  defaultSort: ['-score'],
  filters: ['authorName', 'score', 'author', 'publishedAt', 'id'],
  search: ['authorName'],
  paging: ['offset', 'cursor'],
  view: defineView(popular, { fields: ['title', 'score'] }),
})

const routes = createRouter([
  defineRoute({
    method: 'get',
    path: '/posts',
    access: 'public',
    query: listPosts,
    response: post.array(),
    meta: listMeta,
    async handler(req, res) {
      const published = PostModel.find({ draft: false, publishedAt: { $lte: new Date() } }).lean()
      const { data, meta } = await findPage(published, req.valid.query)
      success(res, data, meta)
    },
  }),
  defineRoute({
    method: 'get',
    path: '/popular',
    access: 'public',
    query: listPopular,
    response: popular.partial().array(),
    meta: offsetMeta,
    async handler(req, res) {
      const { data, meta } = await findPage(aggregatePopular(), req.valid.query)
      success(res, data, meta)
    },
  }),
])
const cursors = createRouter([
  defineRoute({
    method: 'get',
    path: '/popular',
    access: 'public',
    query: listPopular,
    response: popular.partial().array(),
    meta: listMeta,
    async handler(req, res) {
      const { data, meta } = await findPage(aggregatePopular(), req.valid.query)
      success(res, data, meta)
    },
  }),
])

interface Popular {
  _id: Types.ObjectId
  title: string
  score: number
}

function aggregatePopular() {
  return PostModel.aggregate<Popular>([
    { $match: { draft: false, publishedAt: { $lte: new Date() } } },
    { $lookup: { from: 'listauthors', localField: 'author', foreignField: '_id', as: 'people' } },
    { $set: { authorName: { $first: '$people.name' }, score: { $multiply: ['$likes', 2] } } },
  ]).allowDiskUse(true)
}

const api = createApi({
  name: 'lists',
  environment: 'test',
  auth: false,
  rateLimit: false,
  routes: createRegistry().use('/api', routes).use('/cursors', cursors),
})

let client: TestClient
const ids = new Map<string, string>()

beforeAll(async () => {
  client = await createTestClient(api)
  const [ann, bob] = await AuthorModel.create([{ name: 'Ann' }, { name: 'Bob' }])
  for (let count = 0; count < 25; count++) {
    const { _id } = await PostModel.create({
      title: `post ${String(count).padStart(2, '0')}`,
      draft: count >= 23,
      author: count % 2 === 0 ? ann?.id : bob?.id,
      place: { city: count < 5 ? 'Kiel' : 'Bonn' },
      publishedAt: new Date(Date.UTC(2026, 0, count + 1)),
      likes: count % 10,
    })
    ids.set(String(count), String(_id))
  }
  ids.set('ann', String(ann?.id))
  await TagModel.create({
    name: 'news',
    posts: ['3', '7', '24'].map((name) => new Types.ObjectId(ids.get(name))),
  })
})

afterAll(() => client.stop())

async function get(path: string, query: Record<string, unknown> = {}) {
  const { body } = await client.request.get(path).query(query).expect(200)
  return body
}

function titlesOf(body: { data: { title: string }[] }): string[] {
  return body.data.map(({ title }) => title.slice(-2))
}

async function readAll(path: string, query: Record<string, unknown>): Promise<string[]> {
  const titles: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const body = await get(path, { ...query, cursor })
    titles.push(...titlesOf(body))
    cursor = body.meta.nextCursor
  }
  return titles
}

describe('pages by offset', () => {
  it('return limit, offset and total', async () => {
    const body = await get('/api/posts', { offset: 20, limit: 5 })
    expect(body.meta).toEqual({ limit: 5, offset: 20, total: 23 })
    expect(titlesOf(body)).toEqual(['20', '21', '22'])
    expect((await get('/api/posts', { offset: 23 })).data).toEqual([])
    expect((await get('/api/posts')).meta).toEqual({ page: 1, limit: 20, total: 23, pages: 2 })
    expect((await get('/api/popular')).meta).toEqual({ limit: 20, offset: 0, total: 23 })
  })

  it.each([
    'offset=-1',
    'offset=x',
    'offset=1e1',
    'offset=100000001',
    'offset=0&limit=101',
    'offset=0&page=1',
    'offset=0&cursor=',
    'offset=0&offset=0',
  ])('VAL-07 reject ?%s', async (query) => {
    const { body } = await client.request.get(`/api/posts?${query}`).expect(400)
    expect(body.code).toBe('invalid_query')
  })

  it('are described in the document', () => {
    const operation = (path: string) => Object(api.openapi?.paths)[path].get
    const names = (path: string) =>
      operation(path).parameters.map(({ name }: { name: string }) => name)
    expect(names('/api/posts')).toEqual(expect.arrayContaining(['page', 'offset', 'cursor']))
    expect(names('/api/popular')).not.toContain('page')
    const parameter = operation('/api/posts').parameters.find(
      ({ name }: { name: string }) => name === 'offset',
    )
    expect(parameter).toMatchObject({
      description: expect.stringContaining('Number of items to skip'),
      schema: { type: 'integer', minimum: 0, maximum: 100_000_000 },
    })
    const { schema } = operation('/api/popular').responses['200'].content['application/json']
    expect(schema.$ref).toBe('#/components/schemas/PopularPage')
    const { OffsetMeta, PopularPage } = Object(api.openapi?.components).schemas
    expect(PopularPage.properties.meta.$ref).toBe('#/components/schemas/OffsetMeta')
    expect(OffsetMeta.required).toEqual(['limit', 'offset', 'total'])
  })
})

describe('findPage of a query', () => {
  it('applies filters, order and total to it', async () => {
    const body = await get('/api/posts', { 'likes[gte]': 5, sort: '-likes,title', limit: 3 })
    expect(titlesOf(body)).toEqual(['09', '19', '08'])
    expect(body.meta).toMatchObject({ total: 10, pages: 4 })
    const early = await get('/api/posts', { 'publishedAt[lt]': '2026-01-03T00:00:00Z' })
    expect(titlesOf(early)).toEqual(['00', '01'])
  })

  it('pages by cursor, also when the query compares with the current time', async () => {
    const titles = await readAll('/api/posts', { limit: 4, sort: 'likes' })
    expect(new Set(titles).size).toBe(23)
    const { body } = await client.request.get('/api/posts?cursor=x').expect(400)
    expect(body.errors).toMatchObject([{ pointer: '#/cursor' }])
  })

  it('keeps populate, hydration, conditions and session, and does not run the query itself', async () => {
    const session = await mongoose.startSession()
    const query = PostModel.find({ draft: true })
      .populate<{ author: { name: string } }>('author')
      .sort({ title: -1 })
      .limit(1)
      .session(session)
    const { data, meta } = await findPage(query, listPosts.parse({ offset: '0' }))
    expect(meta).toEqual({ limit: 20, offset: 0, total: 2 })
    expect(data.map(({ title, author }) => [title, author.name])).toEqual([
      ['post 23', 'Bob'],
      ['post 24', 'Ann'],
    ])
    expect(data[0]).toBeInstanceOf(PostModel)
    expect(await query).toHaveLength(1)
    await session.endSession()
  })

  it('binds a cursor to the conditions of the query', async () => {
    const query = listPosts.parse({ cursor: '', limit: '1' })
    const { meta } = await findPage(PostModel.find({ draft: false }).lean(), query)
    const { nextCursor } = Object(meta)
    const next = listPosts.parse({ cursor: nextCursor, limit: '1' })
    const { data } = await findPage(PostModel.find({ draft: false }).lean(), next)
    expect(data.map(({ title }) => title)).toEqual(['post 01'])
    await expect(findPage(PostModel.find({ draft: true }).lean(), next)).rejects.toMatchObject({
      code: 'invalid_query',
    })
  })

  it('has the type of its documents', async () => {
    const { data } = await findPage(PostModel.find().lean(), listPosts.parse({ limit: '1' }))
    expectTypeOf(data[0]?.title).toEqualTypeOf<string | undefined>()
    const found = await findPage(aggregatePopular(), listPopular.parse({}))
    expectTypeOf(found.data).toEqualTypeOf<Popular[]>()
    expect(found.data).toHaveLength(20)
  })
})

describe('findPage of an aggregation', () => {
  it('filters, sorts and counts by fields that only the aggregation has', async () => {
    const body = await get('/api/popular', { authorName: 'Ann', 'score[gte]': 8, limit: 3 })
    expect(body.meta).toEqual({ limit: 3, offset: 0, total: 6 })
    expect(body.data.map(({ score }: { score: number }) => score)).toEqual([16, 16, 12])
    expect(body.data[0].authorName).toBe('Ann')
    expect((await get('/api/popular', { q: 'bo' })).meta.total).toBe(11)
  })

  it('casts filters by the model', async () => {
    const one = await get('/api/popular', { id: ids.get('3') })
    expect(titlesOf(one)).toEqual(['03'])
    const early = await get('/api/popular', { 'publishedAt[lt]': '2026-01-03T01:00:00+01:00' })
    expect(early.meta.total).toBe(2)
    expect((await get('/api/popular', { author: ids.get('ann') })).meta.total).toBe(12)
  })

  it('pages by cursor and reads only the chosen fields', async () => {
    for (const sort of ['score', '-score', 'authorName,-publishedAt']) {
      expect(new Set(await readAll('/cursors/popular', { limit: 4, sort })).size).toBe(23)
    }
    const body = await get('/cursors/popular', { fields: 'title', cursor: '', limit: 2 })
    expect(Object.keys(body.data[0]).toSorted()).toEqual(['id', 'title'])
    expect(body.meta.nextCursor).toBeTypeOf('string')
  })
})

describe('a filter', () => {
  it('is mapped to another field, also to one that the output hides', async () => {
    expect((await get('/api/posts', { writer: ids.get('ann') })).meta.total).toBe(12)
    expect((await get('/api/posts', { city: 'Kiel' })).meta.total).toBe(5)
    expect((await get('/api/posts', { 'city[startsWith]': 'B', likes: 9 })).meta.total).toBe(2)
    await client.request.get('/api/posts?author=x').expect(400)
  })

  it('asks another collection', async () => {
    const body = await get('/api/posts', { tagged: 'news' })
    expect(titlesOf(body)).toEqual(['03', '07'])
    expect(body.meta.total).toBe(2)
    expect((await get('/api/posts', { tagged: 'nope' })).meta.total).toBe(0)
    expect(await readAll('/api/posts', { tagged: 'news', limit: 1 })).toEqual(['03', '07'])
  })
})
