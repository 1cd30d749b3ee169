import { type Response } from 'express'
import { model, Schema, Types } from 'mongoose'
import request from 'supertest'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import {
  type ApiRequest,
  type ApiResponse,
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  get,
  type Route,
  type Sendable,
  success,
} from '../../src/index.ts'
import {
  decimal,
  restrict,
  setCreated,
  setEtag,
  toOutputSchema,
  versioned,
} from '../../src/resource.ts'

// The compiler checks the data of `success` against the response of the route. Every value that it accepts is sent here, and
// every value that it refuses is refused when it is sent, too.
const createBook = z.strictObject({
  title: z.string(),
  state: z.enum(['draft', 'live']).default('draft'),
  price: decimal(),
  pages: z.int().optional(),
  author: z.strictObject({ name: z.string(), born: z.iso.date().optional() }),
  tags: z.array(z.string()).default([]),
  marks: z.record(z.string(), z.int()).optional(),
  notes: z.string().nullable().optional(),
  cost: restrict(z.number(), { readable: 'public', writable: 'admin' }),
})
const book = toOutputSchema(createBook)
type Book = z.output<typeof book>

const bookSchema = new Schema(
  {
    title: { type: String, required: true },
    state: { type: String, enum: ['draft', 'live'], default: 'draft' },
    price: { type: Schema.Types.Decimal128, required: true },
    pages: Number,
    author: {
      type: new Schema({ name: { type: String, required: true }, born: String }, { _id: false }),
      required: true,
    },
    tags: [String],
    marks: { type: Map, of: Number },
    notes: String,
    cost: Number,
    secret: String,
  },
  { timestamps: true },
).plugin(versioned)
const BookModel = model('SentBook', bookSchema)

const at = new Date(0)
const hydrated = new BookModel({
  title: 'Dune',
  price: '9.90',
  author: { name: 'Frank' },
  tags: ['sand'],
  marks: { a: 1 },
  secret: 's',
  createdAt: at,
  updatedAt: at,
})
const lean = hydrated.toObject()
const id = String(lean._id)
const sent = {
  id,
  title: 'Dune',
  state: 'draft',
  price: '9.90',
  author: { name: 'Frank' },
  tags: ['sand'],
  marks: { a: 1 },
  createdAt: '1970-01-01T00:00:00.000Z',
  updatedAt: '1970-01-01T00:00:00.000Z',
}
const plain: Book = { ...sent, state: 'live' }

async function send(route: Route) {
  const { app } = createApi({
    routes: createRegistry().use('/api/books', createRouter([route])),
    environment: 'test',
    database: false,
    auth: false,
    log: { level: 'silent' },
  })
  const { status, body } = await request(app).get('/api/books')
  return { status, data: body.data }
}

const open = { access: 'public' } as const
const text = z.object({ text: z.string() })

interface Tree {
  name: string
  below?: Tree[] | undefined
}
const tree: z.ZodType<Tree> = z.object({
  name: z.string(),
  below: z.lazy(() => tree.array()).optional(),
})

interface Counts {
  a: number
}
const counts: Counts = { a: 1 }

describe('success accepts', () => {
  it.each<[string, Route, unknown]>([
    [
      'a lean document',
      get('/', { ...open, response: book }, (_, res) => success(res, lean)),
      sent,
    ],
    ['a document', get('/', { ...open, response: book }, (_, res) => success(res, hydrated)), sent],
    [
      'plain data',
      get('/', { ...open, response: book }, (_, res) => success(res, plain)),
      { ...sent, state: 'live' },
    ],
    [
      'a document with other fields',
      get('/', { ...open, response: book }, (_, res) => success(res, { ...lean, title: 'Other' })),
      { ...sent, title: 'Other' },
    ],
    [
      'null in optional fields',
      get('/', { ...open, response: book }, (_, res) =>
        success(res, {
          ...lean,
          pages: null,
          marks: null,
          notes: null,
          author: { name: 'F', born: null },
        }),
      ),
      { ...sent, marks: undefined, notes: null, author: { name: 'F' } },
    ],
    [
      'lists of documents',
      get('/', { ...open, response: book.array() }, (_, res) => success(res, [lean, hydrated])),
      [sent, sent],
    ],
    [
      'some fields',
      get('/', { ...open, response: book.partial() }, (_, res) => success(res, { title: 'Dune' })),
      { title: 'Dune' },
    ],
    [
      'values of the database and of JavaScript',
      get(
        '/',
        {
          ...open,
          response: z.object({
            id: z.string(),
            day: z.date(),
            big: z.bigint(),
            amount: z.string(),
            map: z.record(z.string(), z.object({ at: z.iso.datetime() })),
            pair: z.tuple([z.string(), z.int()]),
          }),
        },
        (_, res) =>
          success(res, {
            _id: lean._id,
            day: at,
            big: 3n,
            amount: Types.Decimal128.fromString('1.50'),
            map: new Map([['a', { at }]]),
            pair: ['x', 1],
          }),
      ),
      {
        id,
        day: sent.createdAt,
        big: '3',
        amount: '1.50',
        map: { a: { at: sent.createdAt } },
        pair: ['x', 1],
      },
    ],
    [
      'each option of a union',
      get(
        '/',
        { ...open, response: z.union([text, z.object({ count: z.int() })]).array() },
        (_, res) => success(res, [{ text: 'a' }, { count: 1 }]),
      ),
      [{ text: 'a' }, { count: 1 }],
    ],
    [
      'schemas that contain themselves',
      get('/', { ...open, response: tree }, (_, res) =>
        success(res, { name: 'a', below: [{ name: 'b', below: [{ name: 'c' }] }] }),
      ),
      { name: 'a', below: [{ name: 'b', below: [{ name: 'c' }] }] },
    ],
    [
      'anything where the schema does',
      get('/', { ...open, response: z.unknown() }, (_, res) => success(res, { any: [1] })),
      { any: [1] },
    ],
    [
      'a record of an interface, copied',
      get('/', { ...open, response: z.record(z.string(), z.int()) }, (_, res) =>
        success(res, { ...counts }),
      ),
      { a: 1 },
    ],
    [
      'JSON of any form',
      get('/', { ...open, response: z.strictObject({ any: z.json() }) }, (_, res) =>
        success(res, { any: { a: [null, 1, { b: true }] } }),
      ),
      { any: { a: [null, 1, { b: true }] } },
    ],
    [
      'the data of an envelope',
      get(
        '/',
        { ...open, response: text, envelope: (data) => ({ data: { text: data } }) },
        (_, res) => success(res, { text: 'a' }),
      ),
      { text: { text: 'a' } },
    ],
    [
      'the data of one status, and none',
      get('/', { ...open, response: { 200: text, 204: undefined } }, (req, res) => {
        if (req.method !== 'GET') return success(res)
        success(res.status(200), { text: 'a' })
      }),
      { text: 'a' },
    ],
    [
      'a response whose status and headers are set',
      get('/', { ...open, response: book }, (_, res) => {
        success(setEtag(setCreated(res.set('X-A', '1'), lean), lean).status(200), lean)
      }),
      sent,
    ],
    [
      'any data for the response of Express',
      get('/', { ...open, response: text }, (_, res: Response) => success(res, { text: 'a' })),
      { text: 'a' },
    ],
  ])('%s', async (_name, route, expected) => {
    const { status, data } = await send(route)
    expect(status).toBe(200)
    expect(data).toEqual(expected)
  })
})

it('needs a copy of an interface for a record, because the compiler gives interfaces no index signature', async () => {
  const route = get('/', { ...open, response: z.record(z.string(), z.int()) }, (_, res) =>
    // @ts-expect-error TypeScript: an index signature is missing in Counts
    success(res, counts),
  )
  expect(await send(route)).toEqual({ status: 200, data: { a: 1 } })
})

const titles = { tags: ['a'], author: { name: 'F' } }
const shape = z.object({
  title: z.string(),
  tags: z.array(z.string()),
  author: z.object({ name: z.string() }),
})

describe('success refuses, as the response does', () => {
  it.each<[string, Route]>([
    [
      'a missing field',
      // @ts-expect-error title is missing
      get('/', { ...open, response: shape }, (_, res) => success(res, titles)),
    ],
    [
      'another kind of value',
      // @ts-expect-error title is a number
      get('/', { ...open, response: shape }, (_, res) => success(res, { ...titles, title: 1 })),
    ],
    [
      'a number that is text',
      get('/', { ...open, response: z.object({ count: z.int() }) }, (_, res) =>
        // @ts-expect-error count is text
        success(res, { count: '1' }),
      ),
    ],
    [
      'null in a field that is required',
      // @ts-expect-error title is null
      get('/', { ...open, response: shape }, (_, res) => success(res, { ...titles, title: null })),
    ],
    [
      'a wrong field of an object inside',
      get('/', { ...open, response: shape }, (_, res) =>
        // @ts-expect-error name is missing
        success(res, { ...titles, title: 't', author: {} }),
      ),
    ],
    [
      'a wrong item of a list',
      get('/', { ...open, response: shape }, (_, res) =>
        // @ts-expect-error one of the tags is a number
        success(res, { ...titles, title: 't', tags: ['a', 1] }),
      ),
    ],
    [
      'text instead of a list',
      // @ts-expect-error text instead of a list
      get('/', { ...open, response: z.string().array() }, (_, res) => success(res, 'abc')),
    ],
    [
      'a list with a wrong document',
      // @ts-expect-error the second one has no title
      get('/', { ...open, response: book.array() }, (_, res) => success(res, [lean, { _id: 1 }])),
    ],
    [
      'a document without an id',
      get('/', { ...open, response: z.object({ id: z.string(), text: z.string() }) }, (_, res) =>
        // @ts-expect-error neither id nor _id
        success(res, { text: 'a' }),
      ),
    ],
    [
      'no option of a union',
      get('/', { ...open, response: z.union([text, z.object({ count: z.int() })]) }, (_, res) =>
        // @ts-expect-error neither text nor count
        success(res, { other: 1 }),
      ),
    ],
    [
      'a wrong field deep in a schema that contains itself',
      get('/', { ...open, response: tree }, (_, res) =>
        // @ts-expect-error the name is a number
        success(res, { name: 'a', below: [{ name: 'b', below: [{ name: 1 }] }] }),
      ),
    ],
    [
      'no data of any status',
      get('/', { ...open, response: { 200: text, 204: undefined } }, (_, res) =>
        // @ts-expect-error no status has this
        success(res, { title: 'a' }),
      ),
    ],
  ])('%s', async (_name, route) => {
    expect(await send(route)).toEqual({ status: 500, data: undefined })
  })

  it('a field without a default in the model', () => {
    const looseSchema = new Schema({ title: String })
    const loose = model('SentLoose', looseSchema).hydrate({ title: 'a' })
    const route = get('/', { ...open, response: shape.pick({ title: true }) }, (_, res) =>
      // @ts-expect-error title may be missing
      success(res, loose),
    )
    expect(route.method).toBe('get')
  })

  it('no data where the route has a response, and data where it has none', () => {
    const refused = [
      // @ts-expect-error the data is missing
      get('/', { ...open, response: text }, (_, res) => success(res)),
      // @ts-expect-error the route has no response
      get('/', open, (_, res) => success(res, { text: 'a' })),
      // @ts-expect-error the route has no response
      defineRoute({ method: 'get', path: '/', ...open, handler: (_, res) => success(res, 'a') }),
    ]
    expect(refused).toHaveLength(3)
  })
})

describe('the response that a controller declares', () => {
  function show(_req: ApiRequest, res: ApiResponse<Book>): void {
    success(res, lean)
  }
  function list(_req: ApiRequest, res: ApiResponse<Book[]>): void {
    success(res, [lean])
  }
  function remove(_req: ApiRequest, res: ApiResponse): void {
    success(res)
  }

  it('is sent if it is that of the route', async () => {
    expect((await send(get('/', { ...open, response: book }, show))).data).toEqual(sent)
    expect((await send(get('/', { ...open, response: book.array() }, list))).data).toEqual([sent])
    expect((await send(get('/', open, remove))).status).toBe(204)
    // It sends more than the route needs.
    const { data } = await send(get('/', { ...open, response: book.pick({ title: true }) }, show))
    expect(data).toEqual({ title: 'Dune' })
  })

  it('is a type error if it is another one', () => {
    const refused = [
      // @ts-expect-error one instead of a list
      get('/', { ...open, response: book.array() }, show),
      // @ts-expect-error a list instead of one
      get('/', { ...open, response: book }, list),
      // @ts-expect-error no data
      get('/', { ...open, response: book }, remove),
      // @ts-expect-error no response
      get('/', open, show),
      // @ts-expect-error a field is missing
      get('/', { ...open, response: book.extend({ isbn: z.string() }) }, show),
    ]
    expect(refused).toHaveLength(5)
    // @ts-expect-error a list instead of one
    expect(createRouter((route) => [route.get('/', { response: book }, list)], open)).toBeTypeOf(
      'function',
    )
  })

  it('checks the data by its own declaration', () => {
    function wrong(_req: ApiRequest, res: ApiResponse<Book>): void {
      // @ts-expect-error the other fields are missing
      success(res.status(201), { title: 'Dune' })
    }
    expectTypeOf(lean).toExtend<Sendable<Book>>()
    expectTypeOf<{ title: string }>().not.toExtend<Sendable<Book>>()
    expect(wrong).toBeTypeOf('function')
  })
})
