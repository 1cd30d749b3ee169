import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { defineFilter } from './filter-parameters.ts'
import { defineListQuery } from './list-query.ts'
import { toOutputSchema } from './output-schema.ts'
import { objectId } from './schemas.ts'

const output = toOutputSchema(
  z.strictObject({
    title: z.string(),
    status: z.enum(['draft', 'live']),
    views: z.int().default(0),
    price: z.number().optional(),
    open: z.boolean(),
    author: objectId,
    tags: z.array(z.string()),
    meta: z.record(z.string(), z.unknown()),
    size: z.enum(['a,b', 'c']).optional(),
    assignee: objectId.nullable(),
  }),
)
const list = defineListQuery(output, {
  filters: [
    'id',
    'title',
    'status',
    'views',
    'price',
    'open',
    'author',
    'tags',
    'createdAt',
    'size',
    'assignee',
  ],
  sort: ['createdAt', 'title'],
  defaultSort: ['-createdAt'],
  search: ['title'],
  limit: 10,
})

function parse(query: Record<string, string>) {
  return list.parse(query)
}

function faultsOf(query: Record<string, string>): string[] {
  return list.safeParse(query).error?.issues.map(({ path }) => path.join('.')) ?? []
}

describe('defineListQuery', () => {
  it('uses the configured defaults', () => {
    expect(parse({})).toEqual({
      conditions: [],
      sort: [['createdAt', -1]],
      limit: 10,
      page: 1,
      cursor: undefined,
      fingerprint: expect.any(String),
    })
  })

  it.each([
    ['title', 'a', { title: { $eq: 'a' } }],
    ['title[ne]', 'a', { title: { $ne: 'a' } }],
    ['title[in]', 'a,b', { title: { $in: ['a', 'b'] } }],
    ['title[in]', String.raw`a\,b,c\\`, { title: { $in: ['a,b', 'c\\'] } }],
    ['title[in]', String.raw`a\,`, { title: { $in: ['a,'] } }],
    ['title[in]', String.raw`a b,\ c,\ `, { title: { $in: ['a b', ' c', ' '] } }],
    ['size[in]', String.raw`a\,b,c`, { size: { $in: ['a,b', 'c'] } }],
    ['price[exists]', 'true', { price: { $ne: null } }],
    ['assignee[exists]', 'false', { assignee: { $eq: null } }],
    ['title[contains]', 'a.b*', { title: { $regex: String.raw`a\.b\*`, $options: 'i' } }],
    ['title[startsWith]', '^a', { title: { $regex: String.raw`^\^a` } }],
    ['title[contains]', '\0', { title: { $regex: String.raw`\x00`, $options: 'i' } }],
    ['status', 'live', { status: { $eq: 'live' } }],
    ['views[gte]', '-5', { views: { $gte: -5 } }],
    ['views[in]', '1,2', { views: { $in: [1, 2] } }],
    ['price[lt]', '1.50', { price: { $lt: 1.5 } }],
    ['open', 'true', { open: { $eq: true } }],
    ['open[ne]', 'false', { open: { $ne: false } }],
    ['id', '65f0c0ffee0123456789abcd', { _id: { $eq: '65f0c0ffee0123456789abcd' } }],
    ['tags', 'a', { tags: { $eq: 'a' } }],
    [
      'createdAt[gt]',
      '2026-01-31T12:00:00+01:00',
      { createdAt: { $gt: '2026-01-31T11:00:00.000Z' } },
    ],
    ['q', 'a b', { $or: [{ title: { $regex: 'a b', $options: 'i' } }] }],
  ])('reads %s=%s', (name, value, condition) => {
    const { conditions } = parse({ [name]: value })
    expect(JSON.parse(JSON.stringify(conditions))).toEqual([condition])
  })

  it.each([0, -1.5, 0.1 + 0.2, 1e-7, 1e21, 5e-324, -9e299])(
    'reads the number %d as JSON writes it',
    (price) => {
      const filters = {
        price: JSON.stringify(price),
        'price[in]': JSON.stringify([price]).slice(1, -1),
      }
      expect(JSON.parse(JSON.stringify(parse(filters).conditions))).toEqual([
        { price: { $eq: price } },
        { price: { $in: [price] } },
      ])
    },
  )

  it('VAL-08 allows only the listed fields and operators', () => {
    for (const name of [
      'meta',
      'password',
      'title[gt]',
      'open[gt]',
      'tags[contains]',
      'createdAt[in]',
      'title[exists]',
      'tags[exists]',
      'views[exists]',
    ]) {
      expect([name, list.safeParse({ [name]: 'x' }).success]).toEqual([name, false])
    }
  })

  it.each([
    ['views', ''],
    ['views', '1e3'],
    ['views', '0x10'],
    ['views', '1.5'],
    ['views', '99999999999999999'],
    ['views[in]', '1,,2'],
    ['title[in]', String.raw`a\b`],
    ['title[in]', 'a\\'],
    ['size[in]', 'a,b'],
    ['size[exists]', '1'],
    ['size[exists]', ''],
    ['price', 'NaN'],
    ['price', '1e309'],
    ['price', '01'],
    ['views', '-0'],
    ['views', '007'],
    ['price[in]', '1,1e300'],
    ['price', '.5'],
    ['price', '1e'],
    ['price[in]', '1,Infinity'],
    ['open', '1'],
    ['open', 'TRUE'],
    ['status', 'nope'],
    ['author', 'nope'],
    ['createdAt', '2026-02-30T00:00:00Z'],
    ['createdAt', '2026'],
    ['q', ''],
    ['page', '0'],
    ['page', '1000001'],
    ['limit', '101'],
    ['sort', 'views'],
    ['sort', '--title'],
  ])('VAL-07 names the parameter: %s=%s', (name, value) => {
    expect(faultsOf({ [name]: value }).join()).toMatch(
      new RegExp(`^${name.replace(/\W/g, '\\$&')}`),
    )
  })

  it('sorts by each field only once', () => {
    expect(parse({ sort: '-title,createdAt,title' }).sort).toEqual([
      ['title', -1],
      ['createdAt', 1],
    ])
  })

  it.each([
    [{ page: '1', cursor: '' }, 'cursor'],
    [{ page: '1', offset: '0' }, 'offset'],
    [{ cursor: '', offset: '0' }, 'offset'],
    [{ page: '1', cursor: '', offset: '0' }, 'cursor'],
  ])('rejects %j', (query, fault) => {
    expect(faultsOf(query)).toEqual([fault])
  })

  it('reads an offset, and allows only the stated ways to page', () => {
    expect(parse({ offset: '40', limit: '20' })).toMatchObject({ offset: 40, limit: 20 })
    const byOffset = defineListQuery(output, { paging: ['offset'] })
    expect(byOffset.parse({})).toMatchObject({ offset: 0, limit: 20 })
    const byCursor = defineListQuery(output, { paging: ['cursor', 'page'] })
    expect(byCursor.parse({})).toMatchObject({ cursor: '' })
    expect(byCursor.parse({ page: '2' })).toMatchObject({ page: 2, cursor: undefined })
    for (const [schema, name] of [
      [byOffset, 'page'],
      [byOffset, 'cursor'],
      [byCursor, 'offset'],
    ] as const) {
      expect(schema.safeParse({ [name]: '1' }).error?.issues).toMatchObject([
        { code: 'unrecognized_keys', keys: [name] },
      ])
    }
  })

  it('maps a filter to another field, with its operators', () => {
    const mapped = defineListQuery(output, {
      filters: {
        writer: { field: 'author' },
        city: { field: 'address.city', schema: z.string(), operators: ['eq', 'startsWith'] },
        title: ['eq'],
      },
    })
    const id = '65f0c0ffee0123456789abcd'
    const { conditions } = mapped.parse({ 'writer[in]': id, 'city[startsWith]': 'K', title: 'a' })
    expect(JSON.parse(JSON.stringify(conditions))).toEqual([
      { author: { $in: [id] } },
      { 'address.city': { $regex: '^K' } },
      { title: { $eq: 'a' } },
    ])
    for (const name of ['writer[contains]', 'city[ne]', 'title[ne]', 'author']) {
      expect([name, mapped.safeParse({ [name]: id }).success]).toEqual([name, false])
    }
    expect(mapped.safeParse({ writer: 'x' }).error?.issues[0]?.path).toEqual(['writer'])
  })

  it('calls a filter function with the parsed value, once the list is read', async () => {
    const calls: unknown[] = []
    const own = defineListQuery(output, {
      filters: {
        tagged: (tag) => {
          calls.push(tag)
          return { tags: tag }
        },
        near: defineFilter(z.enum(['home', 'work']), (place) => {
          expectTypeOf(place).toEqualTypeOf<'home' | 'work'>()
          calls.push(place)
          return { place }
        }),
      },
    })
    const query = own.parse({ tagged: 'a', near: 'home' })
    expect(calls).toEqual([])
    const found = await Promise.all((query.lookups ?? []).map((lookup) => lookup()))
    expect(found).toEqual([{ tags: 'a' }, { place: 'home' }])
    expect(calls).toEqual(['a', 'home'])
    expect(own.safeParse({ near: 'nowhere' }).success).toBe(false)
    expect(own.safeParse({ tagged: '' }).success).toBe(false)
    expect(own.parse({ tagged: 'b' }).fingerprint).not.toBe(own.parse({ tagged: 'a' }).fingerprint)
  })

  it('binds a cursor to filters and order, not to limit', () => {
    const { fingerprint } = parse({ title: 'a', cursor: '' })
    expect(parse({ title: 'a', limit: '5' }).fingerprint).toBe(fingerprint)
    expect(parse({ title: 'b' }).fingerprint).not.toBe(fingerprint)
    expect(parse({ 'title[ne]': 'a' }).fingerprint).not.toBe(fingerprint)
    expect(parse({ title: 'a', sort: 'title' }).fingerprint).not.toBe(fingerprint)
  })

  it('cannot be defined for hidden fields or unsuitable types', () => {
    // @ts-expect-error no such field
    expect(() => defineListQuery(output, { filters: ['password'] })).toThrow(/no such field/)
    // @ts-expect-error no such field
    expect(() => defineListQuery(output, { sort: ['password'] })).toThrow(/no such field/)
    expect(() => defineListQuery(output, { sort: ['tags'] })).toThrow(/not a single value/)
    expect(() => defineListQuery(output, { filters: ['meta'] })).toThrow(/no operators/)
    expect(() => defineListQuery(output, { filters: { open: ['gt'] } })).toThrow(/use eq, ne/)
    expect(() => defineListQuery(output, { search: ['views'] })).toThrow(/contains/)
    expect(() => defineListQuery(output, { filters: { nope: ['eq'] } })).toThrow(/no such field/)
    expect(() => defineListQuery(output, { filters: { nope: { field: 'a.b' } } })).toThrow(
      /has no schema/,
    )
    expect(() => defineListQuery(output, { filters: { offset: () => ({}) } })).toThrow(
      /'offset': that is another parameter/,
    )
  })
})

describe('a list of bigints in a filter', () => {
  const bigs = defineListQuery(z.object({ id: z.string(), big: z.bigint() }), {
    filters: { big: ['in'] },
  })
  const isValid = (value: bigint): boolean => bigs.safeParse({ 'big[in]': `7,${value}` }).success
  const max = 2n ** 63n - 1n

  it('accepts all of 64 bits and no others', () => {
    for (let power = 0n; power <= 19n; power++) {
      for (const near of [max, 10n ** power, max - 10n ** power, max + 10n ** power]) {
        for (const value of [near - 1n, near, near + 1n]) {
          expect([value, isValid(value)]).toEqual([value, value <= max && value >= -max - 1n])
          expect([-value, isValid(-value)]).toEqual([-value, -value <= max && -value >= -max - 1n])
        }
      }
    }
  })
})
