import { describe, expect, it } from 'vitest'
import { describeOperation } from './describe-operation.ts'

function describeBody(schema: object, schemas: object = {}): unknown {
  const content = { 'application/json': { schema } }
  const operation = { operationId: 'create', requestBody: { content }, responses: {} }
  return describeOperation(operation, { components: { schemas } }).body?.type
}

describe('describeOperation', () => {
  it.each([
    [{ type: 'string' }, 'string'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ enum: ['a', 1] }, '"a" | 1'],
    [{ const: true }, 'true'],
    [{ type: 'array', items: { type: 'integer' } }, 'integer[]'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, '("a" | "b")[]'],
    [{ anyOf: [{ type: 'number' }, { type: 'null' }] }, 'number | null'],
    [{ type: 'object' }, 'object'],
    [{ type: 'object', properties: { a: {}, b: {} }, required: ['b'] }, '{ a?: any, b: any }'],
    [{}, 'any'],
  ])('writes %j as %s', (schema, type) => {
    expect(describeBody(schema)).toBe(type)
  })

  it('ends in schemas that contain themselves', () => {
    const itself = { $ref: '#/components/schemas/Node' }
    const inObject = { Node: { type: 'object', properties: { next: itself } } }
    expect(describeBody(itself, inObject)).toBe('{ next?: { next?: { next?: object } } }')
    const inArray = { Node: { type: 'array', items: itself } }
    expect(describeBody(itself, inArray)).toBe('array[][][]')
    const inUnion = { Node: { anyOf: [itself, { type: 'null' }] } }
    expect(describeBody(itself, inUnion)).toBe('any | null | null | null')
  })

  it('lists statuses without codes where the application has its own format', () => {
    const schema = { type: 'object', properties: { message: { type: 'string' } } }
    const content = { 'application/json': { schema } }
    const operation = { operationId: 'get', responses: { 404: { content }, 204: {} } }
    expect(describeOperation(operation, {})).toEqual({
      operationId: 'get',
      parameters: [],
      body: undefined,
      responses: [{ status: 204, type: '' }],
      errors: [{ status: 404, codes: [] }],
    })
  })
})
