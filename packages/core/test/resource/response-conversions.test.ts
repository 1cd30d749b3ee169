import { type Response } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { z, type ZodType } from 'zod'
import { createApi, createRegistry, createRouter, get, success } from '../../src/index.ts'

const toLength = z.codec(z.string(), z.int(), { decode: (text) => text.length, encode: String })
const seconds = z.codec(z.int(), z.date(), {
  decode: (value) => new Date(value * 1000),
  encode: (date) => date.getTime() / 1000,
})
const cents = z.string().transform(Number).pipe(z.int())

interface Tree {
  size: number
  parts: Tree[]
}
const tree: ZodType<Tree> = z.object({ size: toLength, parts: z.array(z.lazy(() => tree)) })

// Name, schema, what a handler sends, what the client receives.
const cases: [string, ZodType, unknown, unknown][] = [
  ['a codec', z.object({ a: toLength }), { a: 3 }, { a: 3 }],
  [
    'a codec of dates',
    z.object({ a: seconds }),
    { a: new Date(0) },
    { a: '1970-01-01T00:00:00.000Z' },
  ],
  ['a pipe', z.object({ a: cents.optional() }), { a: 3 }, { a: 3 }],
  ['preprocess', z.object({ a: z.preprocess(Number, z.int()) }), { a: 3 }, { a: 3 }],
  ['a pipe in a list', z.array(z.object({ a: cents })), [{ a: 3, b: 4 }], [{ a: 3 }]],
  ['a pipe in a record', z.record(z.string(), cents), { x: 1 }, { x: 1 }],
  ['a pipe in a tuple', z.tuple([cents, z.string()]), [1, 'a'], [1, 'a']],
  ['a pipe in a union', z.object({ a: z.union([cents, z.boolean()]) }), { a: 5 }, { a: 5 }],
  [
    'a pipe in a discriminated union',
    z.discriminatedUnion('k', [
      z.object({ k: z.literal('a'), n: cents }),
      z.object({ k: z.literal('b') }),
    ]),
    { k: 'a', n: 1 },
    { k: 'a', n: 1 },
  ],
  [
    'a pipe in itself',
    tree,
    { size: 1, parts: [{ size: 2, parts: [] }] },
    { size: 1, parts: [{ size: 2, parts: [] }] },
  ],
  ['stringbool', z.object({ a: z.stringbool() }), { a: true }, { a: true }],
]

function create(response: ZodType, data: unknown, environment: 'development' | 'production') {
  const route = get('/', { access: 'public', response }, (_req, res: Response) =>
    success(res, data),
  )
  const routes = createRegistry().use('/api/one', createRouter([route]))
  return createApi({
    routes,
    environment,
    auth: false,
    database: false,
    accessLog: { format: false },
    log: { level: 'silent' },
  })
}

describe.each(['development', 'production'] as const)(
  'in %s, a response is the output of its schema:',
  (env) => {
    it.each(cases)('%s', async (_name, response, data, expected) => {
      const { body } = await request(create(response, data, env).app)
        .get('/api/one')
        .expect(200)
      expect(body).toEqual({ data: expected })
    })
  },
)

it('is checked as the output, with the rules of the whole', async () => {
  const response = z.object({ a: cents }).refine(({ a }) => a > 2)
  await request(create(response, { a: '5' }, 'development').app)
    .get('/api/one')
    .expect(500)
  await request(create(response, { a: 1 }, 'development').app)
    .get('/api/one')
    .expect(500)
  await request(create(response, { a: 5 }, 'development').app)
    .get('/api/one')
    .expect(200)
})

it.each([
  z.object({ a: z.string().transform((text) => text.length) }),
  z.array(
    z
      .string()
      .transform((text) => text.length)
      .optional(),
  ),
])('a transform without a schema of its result is rejected at start', (response) => {
  expect(() => create(response, {}, 'production')).toThrow(
    'The response 200 of GET / contains a transform, whose result no schema describes. Describe it: .transform(…).pipe(z.string()), or use .overwrite(…), which keeps the type.',
  )
})
