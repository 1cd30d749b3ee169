import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { zodParseOptions } from '../errors/describe-issue.ts'
import { parseValue } from './parse-value.ts'

const post = z.strictObject({
  title: z.string().trim().min(1).max(200),
  tags: z.array(z.string().min(1)).max(2),
  views: z.int().min(0),
  author: z.object({ email: z.email('must be yours'), born: z.iso.date().optional() }),
})
const dates = z
  .strictObject({ from: z.date(), to: z.date() })
  .refine(({ from, to }) => from < to, { error: 'must be in order', path: ['to'] })
const member = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('person'), age: z.int() }),
  z.object({ kind: z.literal('robot'), serial: z.string() }),
])

const cases: [name: string, schema: z.ZodType, value: unknown][] = [
  ['a value', post, { title: ' a ', tags: [], views: 1, author: { email: 'a@b.c' } }],
  [
    'members',
    post,
    { title: '', tags: ['', 'b', 'c'], views: -1, author: { email: 'x', born: 1 } },
  ],
  [
    'unknown keys',
    post,
    { title: 'a', tags: [], views: 0, author: { email: 'a@b.c' }, x: 1, y: 2 },
  ],
  ['no members', post, {}],
  ['another type', post, 'x'],
  ['nothing', post, undefined],
  ['a message of the schema', z.string({ error: 'must be text' }), 1],
  ['a message of a check', z.string().min(3, 'is too short'), 'a'],
  ['a refinement', dates, { from: new Date(2), to: new Date(1) }],
  ['a refinement that is not reached', dates, { from: new Date(2) }],
  ['a union', z.union([z.string().min(2), z.int()]), 'a'],
  ['a discriminated union', member, { kind: 'person', age: 'x' }],
  ['no member of a discriminated union', member, { kind: 'dog' }],
  ['a pattern', z.string().regex(/^a$/), 'b'],
  ['a record', z.record(z.string().max(1), z.int()), { ab: 1, c: 'x' }],
  ['a default', z.object({ page: z.coerce.number().default(1) }), {}],
  ['a transform', z.string().transform(Number), '7'],
  ['a transform with an issue', z.string().transform((_text, ctx) => ctx.addIssue('is odd')), '7'],
  ['a pipe', z.string().transform(Number).pipe(z.int()), '7.5'],
  ['a lazy schema', z.lazy(() => z.array(post)), [1]],
]

describe('parseValue', () => {
  it.each(cases)('agrees with safeParse about %s', (_name, schema, value) => {
    const { data, error } = schema.safeParse(value, zodParseOptions)
    expect(parseValue(schema, value)).toEqual({ issues: error?.issues, value: data })
  })

  // Zod notes in the options of a run that the parser has rejected the value.
  it('uses the parser of a compiled schema also after a value that is not valid', () => {
    let runs = 0
    const compiled = z.core.withParser(z.string(), (value) => {
      runs++
      return typeof value === 'string' ? value : z.core.INVALID
    })
    expect(parseValue(compiled, 1).issues).toHaveLength(1)
    expect(parseValue(compiled, 'a')).toEqual({ issues: undefined, value: 'a' })
    expect(runs).toBe(2)
  })

  it('keeps a member named __proto__ out of an issue', () => {
    const issue = JSON.parse('{"code":"custom","message":"m","path":[],"__proto__":{"x":1}}')
    const schema = z.string().check((payload) => void payload.issues.push({ ...issue, input: 'a' }))
    expect(parseValue(schema, 'a').issues).toEqual(schema.safeParse('a').error?.issues)
  })

  it('rejects a schema that waits, as safeParse does', () => {
    const schema = z.string().refine(async () => true)
    expect(() => parseValue(schema, 'a')).toThrow(z.core.$ZodAsyncError)
    expect(() => schema.safeParse('a')).toThrow(z.core.$ZodAsyncError)
  })
})
