import mongoose, { model, Schema, Types } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ApiError } from '../errors/api-error.ts'
import { objectId } from '../resource/schemas.ts'
import { createSerializer } from './serializer.ts'

const id = '65f0c0ffee0123456789abcd'
const post = z.object({
  id: objectId,
  title: z.string(),
  author: objectId,
  tags: z.array(z.string()),
  summary: z.string().optional(),
  publishedAt: z.iso.datetime().nullable(),
  price: z.string().optional(),
  place: z.object({ city: z.string() }).optional(),
})
const document = {
  _id: new Types.ObjectId(id),
  __v: 3,
  title: 'A title',
  author: new Types.ObjectId(id),
  tags: ['a'],
  summary: null,
  publishedAt: new Date('2026-01-31T13:00:00+01:00'),
  price: mongoose.Types.Decimal128.fromString('1.10'),
  place: { city: 'Kiel', secret: 'x' },
  internalNote: 'secret',
}
const plain = {
  id,
  title: 'A title',
  author: id,
  tags: ['a'],
  publishedAt: '2026-01-31T12:00:00.000Z',
  price: '1.10',
  place: { city: 'Kiel' },
}

const Post = model(
  'SerializedPost',
  new Schema({
    title: String,
    author: Schema.Types.ObjectId,
    tags: [String],
    publishedAt: Date,
    price: Schema.Types.Decimal128,
    place: { city: String, secret: String },
    internalNote: String,
  }),
)

function causeOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError && error.cause instanceof Error) return error.cause.message
  }
  return 'no error'
}

describe.each([
  ['with generated code', false],
  ['without generated code', true],
])('createSerializer %s', (_name, jitless) => {
  beforeAll(() => void z.config({ jitless }))
  afterAll(() => void z.config({ jitless: false }))

  it('AUZ-06 writes what the schema names, as JSON values, and nothing else', () => {
    expect(createSerializer(post)(document)).toEqual(plain)
    expect(createSerializer(post.array())([document])).toEqual([plain])
    expect(createSerializer(post, { strict: false })(document)).toEqual(plain)
  })

  it('reads hydrated documents too', () => {
    expect(createSerializer(post)(new Post(document))).toEqual(plain)
  })

  it('says in the cause where value and schema differ, and keeps it from the client', () => {
    const run = (): unknown => createSerializer(post)({ ...document, tags: ['a', 5] })
    expect(run).toThrow(expect.objectContaining({ code: 'internal_error', detail: undefined }))
    expect(causeOf(run)).toMatch(/^The response does not match its schema: #\/tags\/1 /)
    expect(causeOf(() => createSerializer(post)({ ...document, title: undefined }))).toContain(
      '#/title',
    )
  })

  it('cuts to the schema when it is not strict, so that nothing hidden gets out', () => {
    const write = createSerializer(post, { strict: false })
    const populated = { ...document, author: { _id: id, passwordHash: 'secret' } }
    expect(JSON.stringify(write(populated))).not.toContain('secret')
    expect(write({ ...document, tags: 5 })).toEqual({ ...plain, tags: undefined })
  })

  it.each([
    ['a missing id', { _id: 7 }, { id: 7 }],
    ['an own id', { id: 'own', _id: 7 }, { id: 'own' }],
    ['an own __proto__', JSON.parse('{"id":1,"__proto__":{"title":"x"}}'), { id: 1 }],
    ['no prototype', Object.assign(Object.create(null), { title: 't' }), { title: 't' }],
    ['an object for a single value', { title: { secret: 's' } }, {}],
    [
      'a date and a big integer',
      { id: 1n, title: new Date(0) },
      { id: '1', title: '1970-01-01T00:00:00.000Z' },
    ],
    ['null', null, null],
    ['a text', 'text', 'text'],
    ['a list', [1, 2], undefined],
    [
      'odd names',
      { 'a-b': 1, '"': 2, '\u2028': 3, '1': 4, constructor: 5, 'x\n': 6 },
      { '1': 4, 'a-b': 1, '"': 2, '\u2028': 3, constructor: 5, 'x\n': 6 },
    ],
  ])('cuts %s to an object of the schema', (_, value, expected) => {
    const odd = ['a-b', '"', '\u2028', '1', 'constructor', 'x\n'].map((name) => [name, z.unknown()])
    const shape = {
      id: z.unknown(),
      title: z.string(),
      ['__proto__']: z.string(),
      ...Object.fromEntries(odd),
    }
    const write = createSerializer(z.object(shape), { strict: false })
    const written = write(value)
    expect(JSON.stringify(written)).toBe(JSON.stringify(expected))
    if (typeof written === 'object' && written !== null) {
      expect(Object.getPrototypeOf(written)).toBe(Object.prototype)
    }
  })

  it.each([
    ['record', z.record(z.string(), z.number()), new Map([['a', 1]]), { a: 1 }],
    ['record', z.record(z.string(), z.number()), { a: 1 }, { a: 1 }],
    ['tuple', z.tuple([z.string()], z.bigint()), ['a', 1n, 2n], ['a', '1', '2']],
    ['short tuple', z.tuple([z.string(), z.string().optional()]), ['a'], ['a']],
    [
      'catch',
      z.object({ a: z.date() }).catch({ a: new Date() }),
      { a: new Date(0), b: 1 },
      { a: '1970-01-01T00:00:00.000Z' },
    ],
    ['exact optional', z.object({ a: z.exactOptional(z.bigint()) }), { a: 1n }, { a: '1' }],
    ['read-only', z.array(z.bigint()).readonly(), [1n], ['1']],
    ['non-optional', z.nonoptional(z.bigint().optional()), 1n, '1'],
    ['prefault', z.bigint().prefault(2n), 1n, '1'],
    ['pipe', z.bigint().pipe(z.bigint()), 1n, '1'],
    ['lazy', z.lazy(() => z.bigint()), 1n, '1'],
    ['literal', z.array(z.literal([5n, 6n])), [5, 6n], ['5', '6']],
    [
      'union',
      z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      { b: 'x' },
      { b: 'x' },
    ],
    ['tuple', z.tuple([z.string(), z.number()]), ['a', 1, 2], ['a', 1]],
    ['default', z.object({ a: z.string().default('x') }), {}, { a: 'x' }],
    ['lazy', z.lazy(() => z.object({ a: z.string() })), { a: 'x', b: 1 }, { a: 'x' }],
    [
      'intersection',
      z.object({ a: z.string() }).and(z.object({ b: z.string() })),
      { a: 'x', b: 'y', c: 1 },
      { a: 'x', b: 'y' },
    ],
    ['readonly', z.object({ a: z.string() }).readonly(), { a: 'x', b: 1 }, { a: 'x' }],
    [
      'anything',
      z.unknown(),
      { at: new Date(0), ids: [new Types.ObjectId(id)] },
      { at: '1970-01-01T00:00:00.000Z', ids: [id] },
    ],
    ['null', z.string().nullable().optional(), null, null],
    ['null of a view', z.optional(z.string().nullable().optional()), null, null],
    ['boolean', z.boolean(), false, false],
  ])('writes a %s', (_, schema, value, expected) => {
    expect(createSerializer(schema)(value)).toEqual(expected)
  })
})
