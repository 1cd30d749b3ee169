import mongoose from 'mongoose'
import { describe, expect, it } from 'vitest'
import { CliError } from '../errors/cli-error.ts'
import { toSources } from './gather-objects.ts'
import { parseFields } from './parse-fields.ts'
import { mongooseFields } from './require-field-name.ts'

const plain = { array: false, required: true, unique: false, index: false, sparse: false }

function parseOne(argument: string) {
  const { source, ...field } = parseFields([argument])[0] ?? { source: '' }
  expect(source).toBe(argument)
  return field
}

function problemOf(...args: string[]): string {
  try {
    parseFields(args)
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'INVALID_FIELD') throw error
    return [`error: ${error.message}`, ...error.details].join('\n')
  }
  return 'accepted'
}

describe('parseFields', () => {
  it('gives one required title without arguments', () => {
    expect(parseFields([])).toEqual([
      { name: 'title', type: { kind: 'string' }, source: 'title:string', ...plain },
    ])
  })

  it.each([
    ['title', { type: { kind: 'string' } }],
    ['title:str', { type: { kind: 'string' } }],
    ['bio:text?', { type: { kind: 'text' }, required: false }],
    ['bio:text:optional', { type: { kind: 'text' }, required: false }],
    ['bio:optional', { type: { kind: 'string' }, required: false }],
    ['title:string!', { type: { kind: 'string' } }],
    ['count:integer:min=-3:max=10', { type: { kind: 'int' }, min: -3, max: 10 }],
    ['price:float:min=0.5', { type: { kind: 'number' }, min: 0.5 }],
    ['price:decimal', { type: { kind: 'decimal' } }],
    ['price:decimal:default=1.50', { type: { kind: 'decimal' }, required: false, default: '1.50' }],
    ['on_sale:bool:default=true', { type: { kind: 'boolean' }, required: false, default: true }],
    [
      'at:timestamp:default=now',
      { type: { kind: 'date' }, required: false, default: { now: true } },
    ],
    [
      'due:day:default=2024-02-29',
      { type: { kind: 'day' }, required: false, default: '2024-02-29' },
    ],
    ['due:plaindate[]?', { type: { kind: 'day' }, array: true, required: false }],
    [
      'at:date:default=2026-01-31',
      { type: { kind: 'date' }, required: false, default: '2026-01-31T00:00:00.000Z' },
    ],
    ['mail:email:unique', { type: { kind: 'email' }, unique: true }],
    ['extra:json', { type: { kind: 'any' } }],
    ['tags:string[]', { type: { kind: 'string' }, array: true, required: false }],
    ['tags:array:string', { type: { kind: 'string' }, array: true, required: false }],
    ['tags:string:array', { type: { kind: 'string' }, array: true, required: false }],
    ['tags:array', { type: { kind: 'string' }, array: true, required: false }],
    ['tags:array:string:max=5', { type: { kind: 'string' }, array: true, required: false, max: 5 }],
    ['tags:string[]!', { type: { kind: 'string' }, array: true, required: true }],
    ['tags:array:required', { type: { kind: 'string' }, array: true, required: true }],
    ['role:enum:admin,user', { type: { kind: 'enum', values: ['admin', 'user'] } }],
    ['role:enum(admin,user)', { type: { kind: 'enum', values: ['admin', 'user'] } }],
    [
      'role:enum:admin,user:default=user',
      { type: { kind: 'enum', values: ['admin', 'user'] }, required: false, default: 'user' },
    ],
    [
      'roles:array:enum:a,b',
      { type: { kind: 'enum', values: ['a', 'b'] }, array: true, required: false },
    ],
    ['author:ref:User', { type: { kind: 'ref', model: 'User' } }],
    ['author:belongs_to:user?', { type: { kind: 'ref', model: 'User' }, required: false }],
    [
      'reviewers:array:ref:User',
      { type: { kind: 'ref', model: 'User' }, array: true, required: false },
    ],
    [
      'reviewers:ref:User[]',
      { type: { kind: 'ref', model: 'User' }, array: true, required: false },
    ],
    [
      'time:string:default=12\\:30',
      { type: { kind: 'string' }, required: false, default: '12:30' },
    ],
    ['code:string:match=^[a-z]\\:/$', { type: { kind: 'string' }, match: '^[a-z]:\\/$' }],
    [
      'site:url:default=https\\://example.com',
      { type: { kind: 'url' }, required: false, default: 'https://example.com' },
    ],
    [
      'email:email:default=A@B.example',
      { type: { kind: 'email' }, required: false, default: 'a@b.example' },
    ],
  ])('reads %s', (argument, expected) => {
    expect(parseOne(argument)).toEqual({ ...plain, name: argument.split(':')[0], ...expected })
  })

  it('points at an unknown type', () => {
    expect(problemOf('title:strng')).toBe(
      [
        'error: unknown type "strng"',
        '  title:strng',
        '        ^^^^^  did you mean "string"?',
        '  types: string text int number decimal boolean date day email url uuid objectid object any enum ref array',
      ].join('\n'),
    )
  })

  it('shows every wrong field at once', () => {
    const text = problemOf('title:strng', 'ok:int', 'n:int:min=x')
    expect(text).toContain('error: unknown type "strng"')
    expect(text).toContain('error: "x" is not a whole number\n  n:int:min=x\n            ^')
  })

  it.each([
    ['', 'a field name is missing'],
    [':string', 'a field name is missing'],
    ['1a:string', 'is not a field name'],
    ['a-b:string', 'is not a field name'],
    ['{{constructor}}', 'is not a field name'],
    ['<%=1%>', 'is not a field name'],
    ['${1}', 'is not a field name'],
    ['$(touch PWNED)', 'is not a field name'],
    ['é:string', 'is not a field name'],
    ['_id:string', 'set by the framework'],
    ['id', 'set by the framework'],
    ['__v', 'set by the framework'],
    ['createdAt:date', 'set by the framework'],
    ...Object.getOwnPropertyNames(Object.prototype).map((name) => [name, 'reserved']),
    ['errors:any', 'reserved'],
    ['a:string:unique:unique', '"unique" is repeated'],
    ['a:string:uniqe', 'unknown modifier "uniqe"'],
    ['a:string:', 'a modifier is missing'],
    ['a::unique', 'a type is missing'],
    ['a:int:min', '"min" needs a value'],
    ['a:int:unique=1', '"unique" takes no value'],
    ['a:int:min=1.5', 'is not a whole number'],
    ['a:number:min=x', 'is not a number'],
    ['a:number:max=1e400', 'is not a number'],
    ['a:int:min=5:max=1', 'max=1 is below min=5'],
    ['a:string:min=-1', 'a length cannot be negative'],
    ['a:boolean:min=1', '"min" does not work with type "boolean"'],
    ['a:boolean:default=yes', 'is not a default for type "boolean"'],
    ['a:int:default=1.5', 'is not a default for type "int"'],
    ['a:date:default=2026-02-30', 'is not a default for type "date"'],
    ['a:day:default=2026-02-30', 'is not a default for type "day"'],
    ['a:day:default=2026-1-31', 'is not a default for type "day"'],
    ['a:day:default=now', 'today depends on the time zone'],
    ['a:day:default=2026-01-31T00', 'a calendar date such as 2026-01-31'],
    ['a:day:min=1', '"min" does not work with type "day"'],
    ['a:date:default=2026-13-01', 'is not a default for type "date"'],
    ['a:uuid:default=x', 'is not a default for type "uuid"'],
    ['a:url:default=x', 'is not a default for type "url"'],
    ['a:email:default=x', 'is not a default for type "email"'],
    ['a:ref:User:default=x', 'takes no default'],
    ['a:object:default=x', 'takes no default'],
    ['a:array:string:default=x', 'the default of an array is always []'],
    ['a:string:default=', 'is not a default'],
    ['a:required:optional', 'either required or optional'],
    ['a:required:default=x', 'never required'],
    ['a:object:unique', '"unique" does not work with type "object"'],
    ['a:array:string:unique', '"unique" does not work with an array'],
    ['a:int:match=x', '"match" works with string and text only'],
    ['a:string:match=(', 'is not a regular expression'],
    ['a:string:match=^(a+)+$', 'a request could block the service'],
    ['a:enum', '"enum" needs its values'],
    ['a:enum:', '"enum" needs its values'],
    ['a:enum:x,,y', 'an enum value is empty'],
    ['a:enum:x,x', 'is repeated'],
    ["a:enum:x'y", 'is not an enum value'],
    ['a:enum:${1}', 'is not an enum value'],
    ['a:enum:x,y:default=z', "is not one of the enum's values"],
    ['a:ref', '"ref" needs the name of a model'],
    ['a:ref:../x', 'is not a model name'],
    ['a:ref:blog-user', 'is not a model name'],
    ['a:array:array:string', 'an array of arrays'],
  ])('refuses %j: %s', (argument, message) => {
    const text = problemOf(argument)
    expect(text).toContain(message)
    expect(text).toContain('^')
  })

  it('puts fields with dots into the object they name', () => {
    const [shop, note] = parseFields([
      'address.city:string:max=80',
      'note.text:text?',
      'address.geo.lat:number',
      'note:object:array',
    ])
    expect(shop).toMatchObject({
      name: 'address',
      required: true,
      source: '',
      type: {
        kind: 'shape',
        fields: [
          { name: 'city', max: 80 },
          { name: 'geo', type: { kind: 'shape', fields: [{ name: 'lat' }] } },
        ],
      },
    })
    expect(note).toMatchObject({
      array: true,
      required: false,
      type: { kind: 'shape', fields: [{ name: 'text', required: false }] },
    })
    expect([shop, note].flatMap((field) => (field ? toSources(field) : []))).toEqual([
      'address.city:string:max=80',
      'address.geo.lat:number',
      'note:object:array',
      'note.text:text?',
    ])
  })

  it.each([
    [
      ['a:string', 'a.b'],
      '"a" is a field of type "string", so it cannot contain fields\n  a.b\n  ^',
    ],
    [['a.b:int', 'a.b.c'], '"a.b" is a field of type "int", so it cannot contain fields'],
    [['a.b', 'a:string'], '"a" has fields, so its type must be "object"'],
    [['a.b', 'a.b'], 'field "a.b" is repeated'],
    [['a:object', 'a:object'], 'field "a" is repeated'],
    [['a.'], 'a field name is missing'],
    [['a.b.__proto__'], 'field name "__proto__" is reserved\n  a.b.__proto__\n      ^^^^^^^^^'],
    [['a.b:string:unique'], '"unique" does not work with a field in an object'],
    [['a.b:ref:User'], 'a field in an object cannot be a reference'],
  ])('refuses %j: %s', (args, message) => {
    expect(problemOf(...args)).toContain(message)
  })

  it('refuses two fields of one name', () => {
    expect(problemOf('a:int', 'a:string')).toContain('field "a" is repeated')
  })

  it('refuses every name Mongoose reserves', () => {
    // Not in Mongoose's types, but documented: the names a schema path may not have.
    const reserved = Object.keys(Reflect.get(mongoose.Schema, 'reserved'))
    expect(reserved).toContain('isNew')
    expect(mongooseFields).toEqual(expect.arrayContaining(reserved))
  })
})
