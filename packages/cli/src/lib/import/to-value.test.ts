import { describe, expect, it } from 'vitest'
import { Document } from '../client/document.ts'
import { listFields } from './fields.ts'
import { toValue } from './to-value.ts'

const list = { type: 'array', items: { type: 'integer' } }
const decimal = { anyOf: [{ type: 'string' }, { type: 'number' }] }
const cases: readonly (readonly [schema: object, text: string, value: unknown])[] = [
  [{ type: 'string' }, ' 007 ', ' 007 '],
  [{ type: 'string', format: 'email' }, ' ada@example.org ', 'ada@example.org'],
  [{ type: 'string', format: 'date-time' }, '2026-01-31', '2026-01-31T00:00:00.000Z'],
  [{ type: 'string', format: 'date-time' }, '31.1.2026', '31.1.2026'],
  [{ type: 'string', format: 'date' }, '2026-01-31', '2026-01-31'],
  [{ type: 'integer' }, ' 12 ', 12],
  [{ type: 'integer' }, '1,200', '1,200'],
  [{ type: 'number' }, '-1.5e3', -1500],
  [{ type: 'number' }, 'Infinity', 'Infinity'],
  [decimal, '12.50', '12.50'],
  [{ type: 'boolean' }, 'Yes', true],
  [{ type: 'boolean' }, '0', false],
  [{ type: 'boolean' }, 'maybe', 'maybe'],
  [{ type: ['boolean', 'null'] }, 'off', false],
  [{ enum: [1, 2] }, '2', 2],
  [{ enum: ['1', '2'] }, '2', '2'],
  [{ const: true }, 'true', true],
  [list, '1, 2,', [1, 2]],
  [list, '[1,2]', [1, 2]],
  [list, '[1,', '[1,'],
  [{ type: 'array' }, 'a,2', ['a', 2]],
  [{ anyOf: [list, { type: 'object' }] }, '{"a":1}', { a: 1 }],
  [{ type: 'object' }, '{"a":1}', { a: 1 }],
  [{ type: 'object' }, 'a', 'a'],
  [{}, '{"a":1}', { a: 1 }],
  [{}, 'a', 'a'],
  [{ $ref: '#/components/schemas/Size' }, '3', 3],
]

describe('toValue', () => {
  it.each(cases)('with %j, %j is %j', (schema, text, value) => {
    const document = new Document({ components: { schemas: { Size: { type: 'integer' } } } })
    const [field] = listFields({ type: 'object', properties: { field: schema } }, document)
    expect(field && toValue(text, field.kind, ',')).toEqual(value)
  })
})

describe('listFields', () => {
  it('finds the members of objects, of alternatives and of what contains itself', () => {
    const node = {
      type: 'object',
      properties: { name: {}, next: { $ref: '#/components/schemas/Node' } },
    }
    const document = new Document({ components: { schemas: { Node: node } } })
    const one = {
      type: 'object',
      required: ['kind'],
      properties: { kind: { const: 'a' }, node: { $ref: '#/components/schemas/Node' } },
    }
    const two = {
      type: 'object',
      required: ['kind', 'size'],
      properties: { kind: { const: 'b' }, size: { type: 'integer' } },
    }
    const fields = listFields({ oneOf: [one, two] }, document)
    expect(fields.map(({ name, required }) => [name, required])).toEqual([
      ['kind', true],
      ['node', false],
      ['node.name', false],
      ['node.next', false],
      ['size', false],
    ])
  })
})
