import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decimal, emailAddress, instant, objectId, webUrl } from '@create-api/core/resource'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toZodCode } from '../src/lib/fields/field-code.ts'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { parseFields } from '../src/lib/fields/parse-fields.ts'
import { inferFields } from '../src/lib/infer/fields-of-documents.ts'
import { createMembers, observeObject } from '../src/lib/infer/observe.ts'
import { createProject, runProgram } from './run-program.ts'

type Document = Readonly<Record<string, unknown>>

function infer(documents: readonly Document[]) {
  const members = createMembers()
  for (const document of documents) observeObject(members, document)
  return inferFields(members, (word) =>
    ['User', 'Post'].find((model) => model.toLowerCase() === word),
  )
}

const argumentsOf = (documents: readonly Document[]) =>
  infer(documents).fields.map(({ argument }) => argument)

const times = (count: number, create: (n: number) => unknown) =>
  Array.from({ length: count }, (_, n) => ({ field: create(n) }))

describe('inferFields', () => {
  const cases: readonly (readonly [string, readonly Document[], string])[] = [
    ['text', times(10, (n) => `Title ${n}`), 'field:string'],
    ['long text', times(10, () => 'x'.repeat(201)), 'field:text'],
    ['text of several lines', times(10, () => 'a\nb'), 'field:text'],
    ['text with spaces around it', times(10, () => ' a'), 'field:text'],
    ['very long text', times(10, () => 'x'.repeat(12_345)), 'field:text:max=20000'],
    ['booleans', times(10, (n) => n % 2 === 0), 'field:boolean'],
    ['integers', times(10, (n) => n - 5), 'field:int'],
    ['numbers', times(10, (n) => n + 0.5), 'field:number'],
    ['integers and numbers', times(10, (n) => n / 2), 'field:number'],
    ['integers that a double does not hold', times(10, () => 2 ** 60), 'field:any'],
    ['decimals', times(10, (n) => ({ $numberDecimal: `${n}.50` })), 'field:decimal'],
    [
      'decimals and integers',
      times(10, (n) => (n > 5 ? n : { $numberDecimal: '1' })),
      'field:decimal',
    ],
    ['points in time', times(10, () => '2026-01-02T03:04:05+02:00'), 'field:date'],
    [
      'dates of mongoexport',
      times(10, () => ({ $date: '2026-01-02T03:04:05.678Z' })),
      'field:date',
    ],
    [
      'dates of mongoexport before 1970',
      times(10, () => ({ $date: { $numberLong: '-1' } })),
      'field:date',
    ],
    ['calendar dates', times(10, () => '2026-01-31'), 'field:day'],
    ['text like a calendar date', times(10, () => '2026-02-30'), 'field:string'],
    ['addresses', times(10, (n) => `a${n}@example.org`), 'field:email'],
    ['addresses and others', times(10, (n) => (n > 1 ? 'a@b.de' : 'none')), 'field:string'],
    ['URLs', times(10, (n) => `https://example.org/${n}`), 'field:url'],
    ['UUIDs', times(10, () => '0b9e2f0e-0f3a-4a0e-9d3d-0c8a3b1c2d3e'), 'field:uuid'],
    ['longs of mongoexport', times(10, () => ({ $numberLong: '5' })), 'field:int'],
    ['few values', times(20, (n) => ['draft', 'live'][n % 2]), 'field:enum:draft,live'],
    ['few values in few documents', times(19, (n) => ['draft', 'live'][n % 2]), 'field:string'],
    ['few values with other characters', times(20, (n) => ['(a)', 'b'][n % 2]), 'field:string'],
    ['values of several types', times(10, (n) => (n > 5 ? n : 'x')), 'field:any'],
    ['binary data', times(10, () => ({ $binary: { base64: '', subType: '00' } })), 'field:any'],
    ['one value', times(20, () => 'draft'), 'field:string'],
    ['text that is empty in some', times(10, (n) => 'x'.repeat(n)), 'field:string:optional'],
    ['only null', times(10, () => null), 'field:any:optional'],
    ['lists of text', times(10, (n) => ['a', `b${n}`]), 'field:array:string'],
    ['lists that are empty', times(10, () => []), 'field:array:any'],
    [
      'long lists',
      times(10, () => Array.from({ length: 101 }, () => true)),
      'field:array:boolean:max=200',
    ],
    ['lists of very long text', times(10, () => ['x'.repeat(10_001)]), 'field:array:any'],
    ['lists with null', times(10, () => [null]), 'field:any'],
    ['lists with empty texts', times(10, () => ['']), 'field:array:any'],
    ['lists in lists', times(10, () => [[1]]), 'field:any'],
    ['objects without members', times(10, () => ({})), 'field:object'],
    ['objects with many names', times(60, (n) => ({ [`key${n}`]: n })), 'field:object'],
    ['ids', times(10, (n) => ({ $oid: String(n).padStart(24, '0') })), 'field:objectid'],
  ]

  it.each(cases)('%s', (_name, documents, argument) => {
    expect(argumentsOf(documents)).toEqual([argument])
  })

  it('makes a field optional that is missing or null in a document', () => {
    const documents = [...times(9, (n) => n), { field: null }]
    expect(infer(documents).fields).toEqual([
      {
        argument: 'field:int:optional',
        certainty: 'likely',
        reason: 'in 9 of 10, null in 1, 0 to 8',
      },
    ])
    expect(argumentsOf([{ a: 1, b: 1 }, { a: 1 }])).toEqual(['a:int', 'b:int:optional'])
  })

  it('describes the members of objects and lists', () => {
    const documents = times(10, (n) => ({ city: 'x', zip: n > 5 ? undefined : '1' })).map(
      ({ field }) => ({
        address: field,
        lines: [
          { sku: '(a)', tags: ['x'] },
          { sku: '(b)', price: 1.5 },
        ],
      }),
    )
    expect(argumentsOf(documents)).toEqual([
      'address.city:string',
      'address.zip:string:optional',
      'lines:array:object',
      'lines.sku:string',
      'lines.tags:array:string',
      'lines.price:number:optional',
    ])
    expect(argumentsOf([{}, { address: { city: 'x' } }])).toEqual([
      'address:object:optional',
      'address.city:string',
    ])
  })

  it('refers to models of the project by the names of fields', () => {
    const id = '0'.repeat(24)
    expect(
      argumentsOf([{ user: id, postId: id, post_id: id, other: id, in: { user: id } }]),
    ).toEqual([
      'user:ref:User',
      'postId:ref:Post',
      'post_id:ref:Post',
      'other:objectid',
      'in.user:objectid',
    ])
  })

  it('leaves out what cannot be a field, with the reason', () => {
    const { fields, omitted } = infer([
      {
        _id: 1,
        __v: 0,
        createdAt: 'x',
        'first name': 'x',
        save: 1,
        $x: 1,
        'e.f': 1,
        'g:array': 1,
        a: { 'b c': 1, d: 1 },
      },
    ])
    expect(fields.map(({ argument }) => argument)).toEqual(['a.d:int'])
    expect(omitted).toEqual([
      { name: '_id', reason: 'is set by the framework' },
      { name: '__v', reason: 'is set by the framework' },
      { name: 'createdAt', reason: 'is set by the framework' },
      { name: 'first name', reason: '"first name" is not a field name' },
      { name: 'save', reason: 'field name "save" is reserved' },
      { name: '$x', reason: '"$x" is not a field name' },
      { name: 'e.f', reason: '"e.f" is not a field name' },
      { name: 'g:array', reason: '"g:array" is not a field name' },
      { name: 'a.b c', reason: '"b c" is not a field name' },
    ])
  })

  it('always returns fields that the generator accepts', () => {
    const property = fc.property(
      fc.array(fc.object({ maxDepth: 3 }), { maxLength: 30 }),
      (documents) => {
        const args = argumentsOf(documents.map((document) => JSON.parse(JSON.stringify(document))))
        if (args.length > 0) parseFields(args)
      },
    )
    expect(() => fc.assert(property, { numRuns: 300 })).not.toThrow()
  })
})

// What the generated code validates with.
const scope = { z, decimal, emailAddress, instant, objectId, webUrl }

function toSchema(args: readonly string[]): z.ZodType {
  const members = parseFields(args).map((field) => `${field.name}: ${toZodCode(field)}`)
  const code = `return z.strictObject({ ${members.join(', ')} })`
  // oxlint-disable-next-line typescript/no-implied-eval -- the code that would be generated
  return new Function(...Object.keys(scope), code)(...Object.values(scope))
}

// What remains of a document when what is left out, and null, is removed.
function clean(value: unknown, omitted: ReadonlySet<string>, path = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => clean(item, omitted, path))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).flatMap(([name, member]) => {
    const own = path === '' ? name : `${path}.${name}`
    const isKept = member !== null && !omitted.has(own)
    return isKept ? [[name, clean(member, omitted, own)]] : []
  })
  return Object.fromEntries(entries)
}

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, '', 'draft', 'live', 0, true, '2026-02-29', '2026-02-30T00:00:00Z'),
    fc.string({ unit: 'grapheme' }),
    fc.emailAddress(),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.constantFrom(
      'http://a',
      'https://u:p@a.de/',
      'https://münchen.de/',
      'http://[::1]/',
      'http://a b',
    ),
    fc.constantFrom('a@b', 'a.@b.de', '.a@b.de', "a'b@b.de", 'a@-b.de', 'a@b-.de', 'ä@b.de'),
    fc.constantFrom(
      '2026-01-02T03:04Z',
      '2026-01-02t03:04:05z',
      '2026-01-02T24:00:00Z',
      '0000-01-01',
    ),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.uuid(),
    fc.constantFrom('00000000-0000-0000-0000-000000000000', 'A'.repeat(24)),
    fc.double({ noDefaultInfinity: true, noNaN: true }),
    fc.integer(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
  ),
})).value

describe('the schema of inferred fields', () => {
  it('accepts the documents that they were inferred from', () => {
    const documents = fc.array(fc.dictionary(fc.constantFrom('x', 'y', 'z'), values), {
      minLength: 1,
      maxLength: 25,
    })
    const property = fc.property(documents, (all) => {
      const { fields, omitted } = infer(all)
      if (fields.length === 0) return
      const schema = toSchema(fields.map(({ argument }) => argument))
      const names = new Set(omitted.map(({ name }) => name))
      for (const document of all) {
        const { error } = schema.safeParse(clean(document, names))
        expect(error?.issues ?? []).toEqual([])
      }
    })
    fc.assert(property, { numRuns: 1000 })
  })
})

describe('api generate resource --from-json', () => {
  async function run(text: string, ...args: readonly string[]) {
    const cwd = await createProject()
    writeFileSync(join(cwd, 'posts.json'), text)
    const all = ['generate', 'resource', 'articles', '--from-json', 'posts.json', ...args]
    const result = await runProgram(createApiProgram, all, { cwd })
    return { cwd, ...result }
  }

  const two = [
    { title: 'One', views: 1, author: { $oid: '0'.repeat(24) } },
    { title: 'Two', views: 2, live: true, author: { $oid: '0'.repeat(24) } },
  ]
  const texts: readonly (readonly [string, string])[] = [
    ['an array', JSON.stringify(two, undefined, 2)],
    ['lines', two.map((one) => JSON.stringify(one)).join('\n')],
    ['an array on one line', JSON.stringify(two)],
  ]

  it.each(texts)('reads %s, and generates the resource', async (_name, text) => {
    const { code, stderr, stdout } = await run(text, '--json')
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const { inference, names } = JSON.parse(stdout)
    expect(names.plural).toBe('articles')
    expect(inference).toEqual({
      source: '2 documents',
      fields: [
        { argument: 'title:string', certainty: 'likely', reason: 'in all 2, at most 3 characters' },
        { argument: 'views:int', certainty: 'likely', reason: 'in all 2, 1 to 2' },
        { argument: 'author:objectid', certainty: 'likely', reason: 'in all 2' },
        { argument: 'live:boolean:optional', certainty: 'likely', reason: 'in 1 of 2' },
      ],
      omitted: [],
    })
  })

  it('reads a single document, prints what it infers, and prefers what is typed', async () => {
    const text = JSON.stringify(
      { _id: 1, title: 'One', at: '2026-01-02', in: { a: 1 } },
      undefined,
      2,
    )
    const { stdout, cwd } = await run(text, 'at:string', 'in:object', 'extra:int')
    expect(stdout).toContain('title:string  likely')
    expect(stdout).toContain('_id           left out  is set by the framework')
    const { stdout: again } = await runProgram(
      createApiProgram,
      [
        'generate',
        'resource',
        'articles',
        '--check',
        'title:string',
        'at:string',
        'in:object',
        'extra:int',
      ],
      { cwd },
    )
    expect(again).toContain('Nothing to do.')
  })

  it.each([
    ['', 'is empty'],
    ['[]', 'posts.json has no documents'],
    ['[1]', 'the document at line 1 is not a JSON object'],
    ['{"a":1}\n{"a":', 'the document at line 2 is not JSON'],
    ['{\n"a":1}\n{\n"a":1}', 'the document at line 1 is not a JSON object'],
    [`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'line 1 has more than 100 levels'],
    ['a,b\n1,2', 'the document at line 1 is not JSON'],
    ['{"_id":1}', '1 document: there is no field that can be generated'],
  ])('rejects %j', async (text, message) => {
    const { code, stderr } = await run(text)
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })

  it('rejects a file that is missing, and two sources', async () => {
    const cwd = await createProject()
    const args = ['generate', 'resource', 'articles', '--from-json', 'none.json']
    const missing = await runProgram(createApiProgram, args, { cwd })
    expect(missing.stderr).toContain('there is no file')
    const both = await runProgram(createApiProgram, [...args, '--from-collection', 'posts'], {
      cwd,
    })
    expect(both.stderr).toContain(
      '--from-json, --from-collection, --from-openapi and --from-model exclude one another',
    )
  })

  it('prints no escape sequence of a name', async () => {
    const { stdout } = await run(JSON.stringify({ '\u001B[31mred': 1, title: 'x' }), '--dry-run')
    expect(stdout).not.toContain('\u001B[31m')
  })
})
