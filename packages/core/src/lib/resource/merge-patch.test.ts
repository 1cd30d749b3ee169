import { Types } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mergePatch } from './merge-patch.ts'

describe('mergePatch', () => {
  // The examples of RFC 7396, appendix A.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('merges %j and %j to %j', (target, patch, expected) => {
    expect(mergePatch(z.unknown(), target, patch)).toEqual(expected)
  })

  it('treats database values such as dates as single values', () => {
    const at = new Date(0)
    const id = new Types.ObjectId()
    expect(mergePatch(z.unknown(), { at, id, n: 1 }, { n: 2 })).toEqual({ at, id, n: 2 })
    expect(mergePatch(z.unknown(), { at }, { at: { a: 1 } })).toEqual({ at: { a: 1 } })
  })

  it('VAL-05 never changes a prototype', () => {
    const patch: unknown = JSON.parse(
      '{"a":{"__proto__":{"polluted":1},"b":1},"constructor":{"c":1}}',
    )
    const merged = mergePatch(z.unknown(), { a: {} }, patch)
    expect(JSON.stringify(merged)).toBe('{"a":{"b":1},"constructor":{"c":1}}')
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    expect(Reflect.get({}, 'c')).toBeUndefined()
  })
})

describe('mergePatch by a schema', () => {
  const card = z.strictObject({
    kind: z.literal('card'),
    last4: z.string(),
    note: z.string().optional(),
  })
  const bank = z.strictObject({
    kind: z.literal('bank'),
    iban: z.string(),
    note: z.string().optional(),
  })
  const schema = z.strictObject({
    assignee: z.string().nullable(),
    team: z.string().nullable().optional(),
    pay: z.discriminatedUnion('kind', [card, bank]),
    place: z
      .union([z.string(), z.strictObject({ city: z.string(), zip: z.string().optional() })])
      .nullable(),
    parts: z.record(z.string(), z.strictObject({ size: z.int().nullable() })),
    label: z.union([z.object({ short: z.string() }), z.object({ long: z.string() })]),
  })
  const target = {
    assignee: 'ada',
    team: 'red',
    pay: { kind: 'card', last4: '1234', note: 'n' },
    place: { city: 'Kiel', zip: '24103' },
    parts: { a: { size: 1 } },
    label: { short: 's' },
  }

  it.each([
    ['null is a value', { assignee: null }, { assignee: null }],
    ['null removes what is optional, also if it is nullable', { team: null }, { team: undefined }],
    [
      'a member of an alternative',
      { pay: { last4: '5' } },
      { pay: { kind: 'card', last4: '5', note: 'n' } },
    ],
    [
      'an optional member of an alternative',
      { pay: { note: null } },
      { pay: { kind: 'card', last4: '1234' } },
    ],
    [
      'another alternative',
      { pay: { kind: 'bank', iban: 'DE0' } },
      { pay: { kind: 'bank', iban: 'DE0' } },
    ],
    ['a member of an object or text', { place: { zip: null } }, { place: { city: 'Kiel' } }],
    ['text instead of an object', { place: 'Kiel' }, { place: 'Kiel' }],
    ['null instead of an object', { place: null }, { place: null }],
    [
      'a member of a record',
      { parts: { a: null, b: { size: null } } },
      { parts: { b: { size: null } } },
    ],
    [
      'another alternative that leaves out unknown members',
      { label: { long: 'l' } },
      { label: { long: 'l' } },
    ],
  ])('%s', (_, patch, changed) => {
    expect(mergePatch(schema, target, patch)).toEqual({ ...target, ...changed })
  })

  it('keeps members that only the server writes', () => {
    const stored = { pay: { ...target.pay, _id: new Types.ObjectId() } }
    expect(mergePatch(schema, stored, { pay: { last4: '5' } })).toEqual({
      pay: { ...stored.pay, last4: '5' },
    })
  })
})
