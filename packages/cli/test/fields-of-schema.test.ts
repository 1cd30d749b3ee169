import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Document, type Json } from '../src/lib/client/document.ts'
import { parseFields } from '../src/lib/fields/parse-fields.ts'
import { readFields } from '../src/lib/infer/fields-of-schema.ts'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProject, runProgram } from './run-program.ts'

function read(schema: Json, others: Json = {}) {
  const document = new Document({ components: { schemas: { Post: schema, ...others } } })
  const pointer = '#/components/schemas/Post'
  return readFields({ document, schema: { $ref: pointer }, name: pointer }, (word) =>
    word === 'user' ? 'User' : undefined,
  )
}

function field(schema: Json): readonly [argument: string, certainty: string, reason: string] {
  const { fields, omitted } = read({
    type: 'object',
    required: ['field'],
    properties: { field: schema },
  })
  expect(omitted).toEqual([])
  const [first] = fields
  expect(parseFields(fields.map(({ argument }) => argument))).toHaveLength(1)
  return [first?.argument ?? '', first?.certainty ?? '', first?.reason ?? '']
}

describe('readFields', () => {
  const certain: readonly (readonly [Json, string])[] = [
    [{ type: 'string', maxLength: 100 }, 'field:string:max=100'],
    [{ type: 'string', minLength: 2, maxLength: 200 }, 'field:string:min=2:max=200'],
    [{ type: 'string', maxLength: 5000 }, 'field:text:max=5000'],
    [
      { type: 'string', maxLength: 9, pattern: '^a:b+$' },
      String.raw`field:string:max=9:match=^a\:b+$`,
    ],
    [{ type: 'string', maxLength: 9, default: 'a:b' }, String.raw`field:string:max=9:default=a\:b`],
    [{ type: 'string', enum: ['draft', 'live'] }, 'field:enum:draft,live'],
    [{ enum: ['draft', 'live'], default: 'live' }, 'field:enum:draft,live:default=live'],
    [{ const: 'post' }, 'field:enum:post'],
    [{ type: 'string', format: 'date-time' }, 'field:date'],
    [{ type: 'string', format: 'date' }, 'field:day'],
    [{ type: 'string', format: 'email' }, 'field:email'],
    [{ type: 'string', format: 'uri' }, 'field:url'],
    [{ type: 'string', format: 'uuid' }, 'field:uuid'],
    [{ type: 'string', pattern: '^[0-9a-fA-F]{24}$' }, 'field:objectid'],
    [{ type: 'integer', minimum: 1, maximum: 5 }, 'field:int:min=1:max=5'],
    [{ type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 6 }, 'field:int:min=1:max=5'],
    [{ type: 'integer', minimum: 0, exclusiveMinimum: true }, 'field:int:min=1'],
    [{ type: 'integer', minimum: 0.5, default: 3 }, 'field:int:min=1:default=3'],
    [{ type: 'number', minimum: -0.5 }, 'field:number:min=-0.5'],
    [{ type: 'number', format: 'decimal', minimum: 0 }, 'field:decimal:min=0'],
    [{ type: 'boolean', default: false }, 'field:boolean:default=false'],
    [
      { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 9 },
      'field:array:boolean:min=1:max=9',
    ],
    [{ items: { enum: ['a', 'b'] } }, 'field:array:enum:a,b'],
  ]

  it.each(certain)('%j', (schema, argument) => {
    expect(field(schema)).toEqual([argument, 'certain', ''])
  })

  const open: readonly (readonly [Json, string, string])[] = [
    [{ type: 'string' }, 'field:string', 'no maxLength: at most 200 characters'],
    [{ type: 'string', format: 'hostname' }, 'field:string', 'not checked: format'],
    [{ type: 'string', format: 'email', pattern: '@a' }, 'field:email', 'not checked: pattern'],
    [
      { type: 'string', maxLength: 9, pattern: '(' },
      'field:string',
      'not checked: "match" is not a regular expression',
    ],
    [
      { type: 'string', enum: ['(a)', 'b'] },
      'field:string',
      'not checked: "(a)" is not an enum value',
    ],
    [
      { type: 'string', minLength: 9, maxLength: 1 },
      'field:string',
      'not checked: max=1 is below min=9',
    ],
    [{ type: 'integer', multipleOf: 5 }, 'field:int', 'not checked: multipleOf'],
    [{ type: 'integer', enum: [1, 2] }, 'field:int', 'not checked: enum'],
    [
      { type: 'number', exclusiveMinimum: 0 },
      'field:number:min=0',
      'not checked: exclusiveMinimum',
    ],
    [{ type: 'array' }, 'field:array:any', 'no items'],
    [
      { type: 'array', items: { type: 'integer', minimum: 1 } },
      'field:array:int',
      'not checked in items: min',
    ],
    [
      { type: 'array', items: { type: 'boolean' }, uniqueItems: true },
      'field:array:boolean',
      'not checked: uniqueItems',
    ],
    [{ type: 'array', items: { type: 'array', items: {} } }, 'field:any', 'lists in lists'],
    [{ type: 'array', items: { type: ['boolean', 'null'] } }, 'field:any', 'null in lists'],
    [{ type: 'object' }, 'field:object', 'no properties'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'field:object', 'no properties'],
    [{}, 'field:any', 'no type'],
    [{ type: ['string', 'integer'] }, 'field:any', 'no type'],
    [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, 'field:any', 'one of several schemas'],
    [
      { $ref: '#/components/schemas/None' },
      'field:any',
      'the reference #/components/schemas/None cannot be resolved in the document',
    ],
    [{ $ref: '#/components/schemas/Post' }, 'field:object', 'the schema contains itself'],
    [
      { allOf: [{ $ref: '#/components/schemas/Post' }] },
      'field:object',
      'the schema contains itself',
    ],
  ]

  it.each(open)('%j is named as open', (schema, argument, reason) => {
    const [first, certainty, why] = field(schema)
    expect([first, why]).toEqual([argument, reason])
    expect(certainty).not.toBe('certain')
  })

  it.each([
    [{ type: 'boolean', nullable: true }],
    [{ type: ['boolean', 'null'] }],
    [{ anyOf: [{ type: 'boolean' }, { type: 'null' }] }],
    [{ oneOf: [{ type: 'null' }, { $ref: '#/components/schemas/Flag' }] }],
  ])('%j is optional, because null is stored as absent', (schema) => {
    const { fields } = read(
      { type: 'object', required: ['field'], properties: { field: schema } },
      { Flag: { type: 'boolean' } },
    )
    expect(fields).toEqual([
      {
        argument: 'field:boolean:optional',
        certainty: 'certain',
        reason: 'null is stored as absent',
      },
    ])
  })

  it('merges allOf, follows references, and leaves out what clients do not send or receive', () => {
    const { fields, omitted, source } = read(
      {
        allOf: [
          { $ref: '#/components/schemas/Base' },
          {
            required: ['title'],
            properties: {
              title: { type: 'string', maxLength: 9 },
              userId: { type: 'string', pattern: '^[0-9a-f]{24}$' },
              slug: { type: 'string', readOnly: true },
              secret: { type: 'string', writeOnly: true },
              'a b': { type: 'string' },
              save: { type: 'string' },
              address: { $ref: '#/components/schemas/Address' },
              lines: { type: 'array', items: { $ref: '#/components/schemas/Line' }, maxItems: 5 },
            },
          },
        ],
      },
      {
        Base: {
          required: ['id', 'live'],
          properties: { id: { type: 'string' }, live: { type: 'boolean' } },
        },
        Address: {
          type: 'object',
          required: ['city'],
          properties: { city: { type: 'string', maxLength: 9 } },
        },
        Line: {
          type: 'object',
          required: ['n'],
          properties: {
            n: { type: 'integer' },
            parts: { type: 'array', items: { $ref: '#/components/schemas/Line' } },
          },
        },
      },
    )
    expect(source).toBe('#/components/schemas/Post')
    expect(fields.map(({ argument }) => argument)).toEqual([
      'live:boolean',
      'title:string:max=9',
      'userId:ref:User:optional',
      'address:object:optional',
      'address.city:string:max=9',
      'lines:array:object:max=5',
      'lines.n:int',
      'lines.parts:array:object',
    ])
    expect(omitted).toEqual([
      { name: 'id', reason: 'is set by the framework' },
      { name: 'slug', reason: 'is read-only, so the service sets it' },
      { name: 'secret', reason: 'is write-only, and would be in responses' },
      { name: 'a b', reason: '"a b" is not a field name' },
      { name: 'save', reason: 'field name "save" is reserved' },
    ])
    expect(parseFields(fields.map(({ argument }) => argument))).toHaveLength(5)
  })
})

// Schemas that refer to one another and to themselves, in every place of a schema.
const schemas = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Json[]>(
      { type: 'string' },
      { type: ['integer', 'null'] },
      { type: 'null' },
      { enum: ['a', null] },
      {},
      { $ref: '#/components/schemas/None' },
    ),
    fc.constantFrom('Post', 'A', 'B').map((name) => ({ $ref: `#/components/schemas/${name}` })),
    fc.record({ $ref: fc.constant('#/components/schemas/A'), nullable: fc.boolean() }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({
      properties: fc.dictionary(
        fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'),
        tie('schema'),
      ),
      required: fc.subarray(['a', 'b', 'c']),
    }),
    fc.record({ allOf: fc.array(tie('schema'), { maxLength: 3 }), nullable: fc.boolean() }),
    fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { maxLength: 3 }), readOnly: fc.boolean() }),
  ),
})).schema

it('reads schemas that refer to one another in any way, as fields that the generator accepts', () => {
  const all = fc.tuple(fc.dictionary(fc.constantFrom('x', 'y', 'z'), schemas), schemas, schemas)
  const property = fc.property(all, ([properties, a, b]) => {
    const { fields } = read({ type: 'object', properties }, { A: a, B: b })
    const args = fields.map(({ argument }) => argument)
    if (args.length > 0) parseFields(args)
  })
  expect(() => fc.assert(property, { numRuns: 3000 })).not.toThrow()
})

describe('api generate resource --from-openapi', () => {
  const document = {
    openapi: '3.1.0',
    components: {
      schemas: {
        Book: {
          type: 'object',
          required: ['title'],
          properties: { title: { type: 'string', maxLength: 99 } },
        },
      },
    },
  }
  const yaml =
    'openapi: 3.0.3\ncomponents:\n  schemas:\n    Book:\n      type: object\n      required: [title]\n      properties: { title: { type: string, maxLength: 99 } }\n'

  async function run(file: string, text: string, place: string) {
    const cwd = await createProject()
    writeFileSync(join(cwd, file), text)
    const args = ['generate', 'resource', 'books', '--from-openapi', place, '--json']
    return runProgram(createApiProgram, args, { cwd })
  }

  it.each([
    ['openapi.json', JSON.stringify(document), 'openapi.json#/components/schemas/Book'],
    ['openapi.json', JSON.stringify(document), 'openapi.json#Book'],
    ['openapi.yaml', yaml, 'openapi.yaml#Book'],
  ])('generates the resource from %s', async (file, text, place) => {
    const { stdout } = await run(file, text, place)
    expect(JSON.parse(stdout).inference).toEqual({
      source: '#/components/schemas/Book',
      fields: [{ argument: 'title:string:max=99', certainty: 'certain', reason: '' }],
      omitted: [],
    })
  })

  it.each([
    ['a.json', JSON.stringify(document), 'a.json', 'the name of a schema is missing'],
    ['a.json', JSON.stringify(document), 'a.json#Bock', 'did you mean \\"a.json#Book\\"?'],
    ['a.json', JSON.stringify(document), 'b.json#Book', 'there is no file b.json'],
    ['a.json', '{', 'a.json#Book', 'a.json is not JSON'],
    ['a.yaml', 'a: [', 'a.yaml#Book', 'a.yaml is not YAML'],
    ['a.json', '[]', 'a.json#Book', 'a.json is not an OpenAPI document with components'],
    [
      'a.json',
      `{"components":${'['.repeat(600)}${']'.repeat(600)}}`,
      'a.json#Book',
      'a.json is nested more deeply than 500 levels',
    ],
    ['a.json', '{"components":{}}', 'a.json#Book', 'the document has no components/schemas'],
    [
      'a.json',
      '{"components":{"schemas":{"Book":{"type":"object"}}}}',
      'a.json#Book',
      'there is no field that can be generated',
    ],
  ])('rejects %s with %s at %s', async (file, text, place, message) => {
    const { code, stderr, stdout } = await run(file, text, place)
    expect(stderr + stdout).toContain(message)
    expect(code).toBeGreaterThan(0)
  })
})
