import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { describeIssue } from './describe-issue.ts'
import { createValidationError, toErrorItems } from './to-error-items.ts'
import { toPointer } from './to-pointer.ts'

function faults(schema: z.ZodType, value: unknown): [string, string, string][] {
  const result = schema.safeParse(value, { error: describeIssue })
  return toErrorItems(result.error?.issues ?? [], 'body').map((item) => [
    item.pointer,
    item.code,
    item.detail,
  ])
}

describe('toErrorItems with describeIssue', () => {
  const cases: [z.ZodType, unknown, code: string, detail: string][] = [
    [z.string(), undefined, 'invalid_type', 'is required'],
    [z.string(), 1, 'invalid_type', 'must be a string'],
    [z.array(z.string()), 'x', 'invalid_type', 'must be an array'],
    [z.int(), 1.5, 'invalid_type', 'must be an integer'],
    [z.string().min(1), '', 'too_small', 'must not be empty'],
    [z.string().min(3), 'x', 'too_small', 'must have at least 3 characters'],
    [z.string().max(1), 'xyz', 'too_big', 'must have at most 1 character'],
    [z.array(z.int()).max(1), [1, 2], 'too_big', 'must have at most 1 item'],
    [z.number().min(3), 1, 'too_small', 'must be at least 3'],
    [z.number().max(3), 4, 'too_big', 'must be at most 3'],
    [z.number().gt(3), 3, 'too_small', 'must be more than 3'],
    [z.number().lt(3), 3, 'too_big', 'must be less than 3'],
    [z.number().multipleOf(2), 3, 'not_multiple_of', 'must be a multiple of 2'],
    [z.email(), 'x', 'invalid_format', 'must be an e-mail address'],
    [z.string().regex(/^secret$/), 'x', 'invalid_format', 'does not have the required form'],
    [z.enum(['a', 'b']), 'x', 'invalid_value', 'must be one of a, b'],
    [z.literal('a'), 'x', 'invalid_value', 'must be a'],
    [z.enum(['a', 'b']), undefined, 'invalid_value', 'is required'],
    [z.literal('a'), undefined, 'invalid_value', 'is required'],
    [z.union([z.string(), z.int()]), undefined, 'invalid_union', 'is required'],
    [z.enum(['a', 'b']).nullable(), undefined, 'invalid_value', 'is required'],
    [z.bigint(), undefined, 'invalid_type', 'is required'],
    [z.date(), undefined, 'invalid_type', 'is required'],
    [z.record(z.string(), z.int()), undefined, 'invalid_type', 'is required'],
    [z.union([z.string(), z.int()]), [], 'invalid_union', 'is not valid'],
    [z.string().min(3, 'is far too short'), 'x', 'too_small', 'is far too short'],
    [z.string().refine(() => false, 'is taken'), 'x', 'custom', 'is taken'],
  ]

  it.each(cases)('ERR-05 %# has rule and text', (schema, value, code, detail) => {
    expect(faults(schema, value)).toEqual([['#', code, detail]])
  })

  it('gives each unknown key its own pointer', () => {
    expect(
      faults(z.strictObject({ a: z.strictObject({}) }), { a: { x: 1, 'y/z': 2 }, b: 3 }),
    ).toEqual([
      ['#/a/x', 'unrecognized_key', 'is not allowed'],
      ['#/a/y~1z', 'unrecognized_key', 'is not allowed'],
      ['#/b', 'unrecognized_key', 'is not allowed'],
    ])
  })

  it('ERR-05 hides the pattern also in the text of a schema that was parsed without the map', () => {
    const result = z
      .string()
      .regex(/^secret$/)
      .safeParse('hunter2')
    const [item] = toErrorItems(result.error?.issues ?? [], 'query')
    expect(item).toEqual({
      in: 'query',
      pointer: '#',
      code: 'invalid_format',
      detail: 'does not have the required form',
    })
  })

  it('returns at most 50 items', () => {
    const keys = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 1]))
    expect(faults(z.strictObject({}), keys)).toHaveLength(50)
    const numbers = Array.from({ length: 1000 }, () => 1)
    expect(faults(z.array(z.string()), numbers)).toHaveLength(50)
  })
})

describe('toPointer', () => {
  it('follows RFC 6901 sections 3, 4 and 6', () => {
    expect(toPointer([])).toBe('#')
    expect(toPointer(['foo', 0])).toBe('#/foo/0')
    expect(toPointer(['a/b'])).toBe('#/a~1b')
    expect(toPointer(['m~n'])).toBe('#/m~0n')
    expect(toPointer([' '])).toBe('#/%20')
    expect(toPointer(['c%d'])).toBe('#/c%25d')
    expect(toPointer([''])).toBe('#/')
  })

  it('accepts any key, and bounds the length', () => {
    expect(toPointer(['\ud800'])).toBe('#/%EF%BF%BD')
    expect(toPointer(['ä'.repeat(100_000)]).length).toBeLessThanOrEqual(256)
    expect(toPointer(Array.from({ length: 1000 }, () => 'key')).length).toBeLessThanOrEqual(256)
    expect(toPointer(['ä'.repeat(100_000)])).toMatch(/%A4$/)
    expect(toPointer([Symbol('s')])).toBe('#/Symbol(s)')
  })
})

describe('createValidationError', () => {
  it('counts the fields in English', () => {
    const item = { in: 'body', pointer: '#/title', code: 'custom', detail: 'is wrong' } as const
    expect(createValidationError([item])).toMatchObject({
      code: 'validation_failed',
      detail: '1 field is not valid.',
      errors: [item],
    })
    expect(createValidationError([item, item]).detail).toBe('2 fields are not valid.')
  })
})
