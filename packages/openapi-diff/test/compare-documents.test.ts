import { describe, expect, it } from 'vitest'
import { compareDocuments, DocumentError, type RuleName, rules } from '@create-api/openapi-diff'

type Part = Readonly<Record<string, unknown>>

function documentOf(operation: Part | undefined, schemas: Part = {}): object {
  const item = operation === undefined ? {} : { post: { operationId: 'act', ...operation } }
  return { openapi: '3.1.0', info: {}, paths: { '/things/{id}': item }, components: { schemas } }
}

function body(schema: Part, required = true): Part {
  return { requestBody: { required, content: { 'application/json': { schema } } } }
}

function response(schema: Part, more: Part = {}): Part {
  return {
    responses: { 200: { description: '', content: { 'application/json': { schema } }, ...more } },
  }
}

function query(...parameters: readonly Part[]): Part {
  return { parameters: parameters.map((parameter) => ({ in: 'query', ...parameter })) }
}

const closed = (properties: Part, required: readonly string[] = []): Part => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const string = { type: 'string' }

type Case = readonly [rule: RuleName, inverse: RuleName, before: Part | undefined, after: Part]

// Each case is tested both ways: forwards it gives the first rule, backwards the second.
const cases: readonly Case[] = [
  ['operation-added', 'operation-removed', undefined, {}],
  ['operation-renamed', 'operation-renamed', {}, { operationId: 'other' }],
  [
    'sunset-earlier',
    'sunset-later',
    { deprecated: true, 'x-sunset': '2999-12-31' },
    { deprecated: true, 'x-sunset': '2999-06-30T12:00:00+02:00' },
  ],
  ['access-stricter', 'access-looser', { 'x-access': 'public' }, { 'x-access': 'user' }],
  ['access-stricter', 'access-looser', { 'x-access': 'user' }, { 'x-access': 'owner' }],
  ['access-stricter', 'access-stricter', { 'x-access': 'admin' }, { 'x-access': 'editor' }],
  ['access-stricter', 'access-looser', { security: [] }, { security: [{ bearer: [] }] }],
  ['parameter-added', 'parameter-removed', {}, query({ name: 'q', schema: string })],
  ['parameter-required', 'parameter-removed', {}, query({ name: 'q', required: true })],
  [
    'parameter-required',
    'parameter-optional',
    query({ name: 'q' }),
    query({ name: 'q', required: true }),
  ],
  ['body-added', 'body-removed', {}, body(string, false)],
  ['body-required', 'body-removed', {}, body(string)],
  ['body-required', 'body-optional', body(string, false), body(string)],
  [
    'media-type-added',
    'media-type-removed',
    { requestBody: { content: {} } },
    { requestBody: { content: { 'text/csv': {} } } },
  ],
  [
    'status-added',
    'status-removed',
    { responses: { 200: {} } },
    { responses: { 200: {}, 201: {} } },
  ],
  [
    'status-added',
    'error-status-removed',
    { responses: { 200: {} } },
    { responses: { 200: {}, 409: {} } },
  ],
  ['header-added', 'header-removed', response(string), response(string, { headers: { ETag: {} } })],
  ['input-property-added', 'input-property-removed', body(closed({})), body(closed({ a: string }))],
  [
    'input-property-required',
    'input-property-removed',
    body(closed({})),
    body(closed({ a: string }, ['a'])),
  ],
  [
    'input-property-required',
    'input-property-optional',
    body(closed({ a: string })),
    body(closed({ a: string }, ['a'])),
  ],
  ['input-closed', 'input-opened', body({ type: 'object' }), body(closed({}))],
  ['input-type-widened', 'input-type-narrowed', body(string), body({ type: ['string', 'null'] })],
  [
    'input-type-widened',
    'input-type-narrowed',
    body({ type: 'integer' }),
    body({ type: 'number' }),
  ],
  [
    'input-type-widened',
    'input-type-narrowed',
    body(string),
    body({ anyOf: [string, { type: 'null' }] }),
  ],
  ['input-enum-widened', 'input-enum-narrowed', body({ enum: ['a'] }), body({ enum: ['a', 'b'] })],
  ['input-enum-widened', 'input-enum-narrowed', body({ ...string, const: 'a' }), body(string)],
  [
    'input-bound-tightened',
    'input-bound-loosened',
    body(string),
    body({ ...string, maxLength: 5 }),
  ],
  [
    'input-bound-tightened',
    'input-bound-loosened',
    query({ name: 'n', schema: { type: 'integer', minimum: 0 } }),
    query({ name: 'n', schema: { type: 'integer', minimum: 1 } }),
  ],
  [
    'input-format-narrowed',
    'input-format-widened',
    body(string),
    body({ ...string, format: 'email' }),
  ],
  [
    'input-format-narrowed',
    'input-format-narrowed',
    body({ ...string, pattern: 'a' }),
    body({ ...string, pattern: 'b' }),
  ],
  [
    'output-property-added',
    'output-property-removed',
    response(closed({})),
    response(closed({ a: string })),
  ],
  [
    'output-property-required',
    'output-property-optional',
    response(closed({ a: string })),
    response(closed({ a: string }, ['a'])),
  ],
  [
    'output-type-widened',
    'output-type-narrowed',
    response(string),
    response({ type: ['string', 'null'] }),
  ],
  [
    'output-enum-widened',
    'output-enum-narrowed',
    response({ enum: ['a'] }),
    response({ enum: ['a', 'b'] }),
  ],
  [
    'output-format-narrowed',
    'output-format-widened',
    response(string),
    response({ ...string, format: 'date-time' }),
  ],
  ['schema-changed', 'schema-changed', body({ not: string }), body({ not: { type: 'null' } })],
]

function rulesBetween(before: Part | undefined, after: Part | undefined): readonly RuleName[] {
  return compareDocuments(documentOf(before), documentOf(after)).map(({ rule }) => rule)
}

describe('compareDocuments', () => {
  it.each(cases)('%s, and back %s: %j → %j', (rule, inverse, before, after) => {
    expect(rulesBetween(before, after)).toEqual([rule])
    expect(rulesBetween(after, before)).toEqual([inverse])
    expect(rulesBetween(after, after)).toEqual([])
  })

  it('reports an operation that becomes deprecated', () => {
    expect(rulesBetween({}, { deprecated: true })).toEqual(['operation-deprecated'])
    expect(rulesBetween({ deprecated: true }, {})).toEqual([])
  })

  it('allows the removal of an operation from its sunset on', () => {
    const removed = (operation: Part, now: string): unknown =>
      compareDocuments(documentOf(operation), documentOf(undefined), { now: Date.parse(now) })
    const operation = { deprecated: true, 'x-sunset': '2026-12-31' }
    expect(removed(operation, '2026-12-31')).toEqual([
      {
        rule: 'operation-sunset',
        breaking: false,
        operation: 'POST /things/{id}',
        at: '',
        message: 'removed after its sunset 2026-12-31',
      },
    ])
    expect(removed(operation, '2026-12-30T23:59:59Z')).toMatchObject([
      {
        rule: 'operation-removed',
        breaking: true,
        message: 'removed before its sunset 2026-12-31',
      },
    ])
    const past = '2020-01-01'
    for (const other of [
      { deprecated: true },
      { 'x-sunset': past },
      { deprecated: true, 'x-sunset': 'soon' },
    ]) {
      expect(removed(other, '2026-12-31')).toMatchObject([
        { rule: 'operation-removed', breaking: true, message: 'removed' },
      ])
    }
    const gone = documentOf(undefined)
    const reached = documentOf({ deprecated: true, 'x-sunset': past })
    expect(compareDocuments(reached, gone)).toMatchObject([{ rule: 'operation-sunset' }])
  })

  it('takes the first sunset of an operation for its announcement', () => {
    const sunset = { deprecated: true, 'x-sunset': '2026-12-31' }
    expect(rulesBetween({}, sunset)).toEqual(['operation-deprecated'])
    expect(rulesBetween({ deprecated: true }, sunset)).toEqual([])
    expect(rulesBetween(sunset, { deprecated: true })).toEqual(['sunset-later'])
    expect(rulesBetween(sunset, {})).toEqual(['sunset-later'])
  })

  it('has a case for every rule', () => {
    const tested = new Set([...cases.flat(), 'operation-deprecated', 'operation-sunset'])
    expect(Object.keys(rules).filter((rule) => !tested.has(rule))).toEqual([])
  })

  it('identifies path parameters by their position', () => {
    const parameter = { in: 'path', required: true, schema: string }
    const before = documentOf({ parameters: [{ ...parameter, name: 'id' }] })
    const text = JSON.stringify(before).replaceAll('{id}', '{thingId}')
    const after: object = JSON.parse(text.replaceAll('"name":"id"', '"name":"thingId"'))
    expect(compareDocuments(before, after)).toEqual([])
  })

  it('follows references, also to themselves, and reports the place', () => {
    const tree = (name: Part): Part => ({
      Tree: closed({
        name,
        children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
      }),
    })
    const schema = { $ref: '#/components/schemas/Tree' }
    const before = documentOf(body(schema), tree({ ...string, maxLength: 9 }))
    const after = documentOf(body(schema), tree({ ...string, maxLength: 5 }))
    expect(compareDocuments(before, after)).toEqual([
      {
        rule: 'input-bound-tightened',
        breaking: true,
        operation: 'POST /things/{id}',
        at: 'body.name',
        message: 'maxLength 9 → 5',
      },
    ])
  })

  it('ignores what no client can notice', () => {
    expect(rulesBetween(response(string), response({ ...string, maxLength: 3 }))).toEqual([])
    const error = (schema: Part): Part => ({
      responses: { 404: { content: { 'application/problem+json': { schema } } } },
    })
    expect(rulesBetween(error(string), error({ type: 'object' }))).toEqual([])
    expect(rulesBetween({ summary: 'A' }, { summary: 'B' })).toEqual([])
  })

  it('reports operations of one path separately', () => {
    const item = { get: { operationId: 'read' }, post: { operationId: 'act' } }
    const before = { ...documentOf({}), paths: { '/things/{id}': item } }
    expect(compareDocuments(before, documentOf({}))).toMatchObject([
      { rule: 'operation-removed', operation: 'GET /things/{id}' },
    ])
  })

  it('reads parameters of a path and security of the whole document', () => {
    const parameters = [{ in: 'query', name: 'q', schema: string }]
    const item = { parameters, post: { operationId: 'act', security: [{ bearer: [] }] } }
    const before = { ...documentOf({}), paths: { '/things/{id}': item } }
    const after = {
      ...documentOf({ parameters: [{ ...parameters[0], required: true }] }),
      security: [{ bearer: [] }],
    }
    expect(compareDocuments(before, after)).toMatchObject([
      { rule: 'parameter-required', at: 'query.q' },
    ])
  })

  it('compares the merged schema of allOf', () => {
    const named = { allOf: [{ $ref: '#/components/schemas/Base' }, closed({ name: string })] }
    const base = (maxLength: number): Part => ({
      Base: { type: 'object', properties: { id: { ...string, maxLength } } },
    })
    const before = documentOf(body(named), base(9))
    expect(compareDocuments(before, documentOf(body(named), base(5)))).toMatchObject([
      { rule: 'input-bound-tightened', at: 'body.id' },
    ])
    const contradicting = body({ allOf: [{ minimum: 1 }, { minimum: 2 }] })
    expect(rulesBetween(body({ allOf: [] }), contradicting)).toEqual(['schema-changed'])
  })

  it('compares alternatives and the keywords beside them', () => {
    const either = { anyOf: [string, { type: 'null' }] }
    expect(
      rulesBetween(response({ ...either, title: 'a' }), response({ ...either, format: 'email' })),
    ).toEqual(['output-format-narrowed'])
  })

  it('reads the keywords of OpenAPI 3.0 as those of 3.1', () => {
    const old = body(
      closed({
        name: { ...string, nullable: true },
        count: { type: 'integer', minimum: 0, exclusiveMinimum: true },
      }),
    )
    const modern = body(
      closed({
        name: { type: ['string', 'null'] },
        count: { type: 'integer', exclusiveMinimum: 0 },
      }),
    )
    const before = { ...documentOf(old), openapi: '3.0.4' }
    expect(compareDocuments(before, documentOf(modern))).toEqual([])
  })

  it.each([null, [], {}, { swagger: '2.0', paths: {} }, { openapi: '3.1.0' }])(
    'rejects %j',
    (document) => {
      const compare = () => compareDocuments(documentOf({}), document)
      expect(compare).toThrow(DocumentError)
      expect(compare).toThrow('the later document is not an OpenAPI 3 document')
    },
  )

  it.each(['#/components/schemas/None', 'other.json#/Post', '#/components/schemas/Loop'])(
    'rejects a document whose reference %s leads nowhere',
    ($ref) => {
      const loop = { Loop: { $ref: '#/components/schemas/Loop' } }
      const document = documentOf(body({ $ref }), loop)
      expect(() => compareDocuments(document, document)).toThrow(
        `the reference ${$ref} leads nowhere in its document`,
      )
    },
  )
})
