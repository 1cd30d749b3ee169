import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { toOutputSchema } from './output-schema.ts'
import { toPatchSchema } from './patch-schema.ts'
import { toMergePatch, toReplacement } from './update.ts'

const create = z.strictObject({
  title: z.string().min(1),
  summary: z.string().optional(),
  views: z.int().default(0),
  tags: z.array(z.string()).default([]),
  at: z.iso.datetime({ offset: true }).optional(),
  note: z.string().optional().default('none'),
})
const patch = toPatchSchema(create)

describe('toPatchSchema', () => {
  it('accepts any subset of the fields, without defaults', () => {
    expect(patch.parse({})).toEqual({})
    expect(patch.parse({ views: 3 })).toEqual({ views: 3 })
    expectTypeOf<z.output<typeof patch>>().toEqualTypeOf<{
      title?: string | undefined
      summary?: string | null | undefined
      views?: number | undefined
      tags?: string[] | undefined
      at?: string | null | undefined
      note?: string | null | undefined
    }>()
  })

  it('accepts null for optional fields only', () => {
    expect(patch.parse({ summary: null, at: null, note: null })).toEqual({
      summary: null,
      at: null,
      note: null,
    })
    for (const field of ['title', 'views', 'tags']) {
      expect(patch.safeParse({ [field]: null }).success).toBe(false)
    }
  })

  it('applies the same rules to members of objects at every depth', () => {
    const nested = toPatchSchema(
      z.strictObject({
        place: z.strictObject({
          city: z.string().min(1),
          zip: z.string().optional(),
          open: z.boolean().default(true),
          geo: z.strictObject({ lat: z.number() }).optional(),
        }),
        labels: z.record(z.string(), z.string()).optional(),
        owner: z.strictObject({ name: z.string() }).nullable(),
      }),
    )
    expectTypeOf<z.output<typeof nested>>().toEqualTypeOf<{
      place?:
        | {
            city?: string | undefined
            zip?: string | null | undefined
            open?: boolean | undefined
            geo?: { lat?: number | undefined } | null | undefined
          }
        | undefined
      labels?: Record<string, string | null> | null | undefined
      owner?: { name?: string | undefined } | null | undefined
    }>()
    for (const change of [
      { place: {} },
      { place: { zip: null, geo: {} } },
      { place: { geo: null } },
      { labels: { a: null, b: 'x' } },
      { owner: {} },
      { owner: null },
    ]) {
      expect(nested.parse(change)).toEqual(change)
    }
    for (const change of [
      { place: null },
      { place: { city: null } },
      { place: { city: '' } },
      { place: { nope: 1 } },
      { place: { geo: { lat: 'x' } } },
      { labels: { a: 1 } },
    ]) {
      expect([change, nested.safeParse(change).success]).toEqual([change, false])
    }
  })

  it('derives the patches of alternatives, and of schemas that contain themselves', () => {
    const card = z.strictObject({ kind: z.literal('card'), last4: z.string() })
    const bank = z.object({ kind: z.literal('bank'), iban: z.string().optional() })
    const node = z.strictObject({
      name: z.string(),
      get next() {
        return node.optional()
      },
    })
    const derived = toPatchSchema(
      z.strictObject({
        pay: z.discriminatedUnion('kind', [card, bank]),
        tree: z.lazy(() => node),
        fixed: z.strictObject({ a: z.int() }).readonly(),
      }),
    )
    expectTypeOf<z.output<typeof derived>['pay']>().toEqualTypeOf<
      | { kind?: 'card' | undefined; last4?: string | undefined }
      | { kind?: 'bank' | undefined; iban?: string | null | undefined }
      | undefined
    >()
    for (const change of [
      { pay: { last4: '1' } },
      { pay: { iban: null } },
      { pay: { kind: 'bank', iban: 'DE0' } },
      { tree: { next: { next: { name: 'x' } } } },
      { tree: { next: null } },
      { fixed: {} },
    ]) {
      expect(derived.parse(change)).toEqual(change)
    }
    for (const change of [
      { pay: { last4: '1', iban: 'DE0' } },
      { pay: { kind: 'cash' } },
      { tree: { name: null } },
      { tree: { next: { next: { nope: 1 } } } },
      { fixed: { a: null } },
    ]) {
      expect([change, derived.safeParse(change).success]).toEqual([change, false])
    }
    expect(() => z.toJSONSchema(derived)).not.toThrow()
  })

  it('leaves schemas that accept anything unchanged, because they accept null', () => {
    const anything = z.record(z.string(), z.unknown())
    const open = toPatchSchema(
      z.strictObject({ extra: z.unknown().optional(), meta: anything.optional() }),
    )
    const change = { extra: null, meta: { a: null } }
    expect(open.parse(change)).toEqual(change)
    expect(z.toJSONSchema(open)).toMatchObject({
      properties: { extra: {}, meta: { anyOf: [{ additionalProperties: {} }, { type: 'null' }] } },
    })
    expect(JSON.stringify(z.toJSONSchema(open))).not.toContain('"anyOf":[{},')
  })

  it('keeps the rules of the fields and rejects unknown fields', () => {
    expect(patch.safeParse({ title: '' }).success).toBe(false)
    expect(patch.safeParse({ $set: {} }).success).toBe(false)
  })
})

describe.each([
  ['toPatchSchema', toPatchSchema],
  ['toOutputSchema', toOutputSchema],
])('%s', (name, derive) => {
  it.each([
    ['a union', z.union([create, create])],
    ['a lazy schema', z.lazy(() => create)],
  ])('rejects %s', (_, schema) => {
    expect(() => derive(schema as never)).toThrow(
      `${name} needs the schema of an object: z.strictObject({ … }).`,
    )
  })
})

describe('toOutputSchema', () => {
  it('has every field, the id and the timestamps in UTC', () => {
    const output = toOutputSchema(create)
    const json = {
      id: '65f0c0ffee0123456789abcd',
      title: 'A title',
      views: 0,
      tags: [],
      note: 'none',
      createdAt: '2026-01-31T12:00:00.000Z',
      updatedAt: '2026-01-31T12:00:00.000Z',
    }
    expect(output.parse(json)).toEqual(json)
    expect(output.safeParse({ ...json, views: undefined }).success).toBe(false)
    expect(output.safeParse({ ...json, at: '2026-01-31T12:00:00+01:00' }).success).toBe(false)
  })
})

describe('toMergePatch', () => {
  it('sets and removes fields, and leaves the rest', () => {
    expect(toMergePatch(create, {})).toEqual({})
    expect(toMergePatch(create, { title: 'a', summary: null, views: undefined })).toEqual({
      $set: { title: 'a' },
      $unset: { summary: true },
    })
  })
})

describe('toReplacement', () => {
  it('removes the fields of the schema that are absent', () => {
    const body = create.parse({ title: 'a' })
    expect(toReplacement(create, body)).toEqual({
      $set: { title: 'a', views: 0, tags: [], note: 'none' },
      $unset: { summary: true, at: true },
    })
  })
})
