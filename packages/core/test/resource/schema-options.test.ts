import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { type Model, mongo, Mongoose, Schema, type SchemaOptions } from 'mongoose'
import { afterAll, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createDocument,
  deleteDocument,
  findDocument,
  findPage,
  patchDocument,
  replaceDocument,
  toPatchSchema,
} from '../../src/resource.ts'

const server = process.env['MONGODB_URI']
  ? { uri: process.env['MONGODB_URI'], stop: async () => {} }
  : await startEmbeddedMongo({ storage: { memory: true } })
const client = await new Mongoose().connect(server.uri, { dbName: 'schema_options' })

afterAll(async () => {
  await client.connection.dropDatabase()
  await client.disconnect()
  await server.stop()
})

const getters = { getters: true, transform: () => ({ lost: true }), virtuals: true }
const reference = { type: Schema.Types.ObjectId, ref: 'Other' }

// Name, field, value, another value, options of the schema.
const cases: [string, object, unknown, unknown, SchemaOptions?][] = [
  ['toObject', {}, undefined, undefined, { toObject: { ...getters, versionKey: false } }],
  ['toJSON', {}, undefined, undefined, { toJSON: { ...getters, versionKey: false } }],
  ['flattened objects', { field: reference }, id(1), id(2), { toObject: flattened() }],
  ['id: false', {}, undefined, undefined, { id: false }],
  ['strict: false', {}, { any: [1] }, 'x', { strict: false }],
  ['minimize: false', { field: {} }, {}, { a: {} }, { minimize: false }],
  ['minimize', { field: {} }, {}, { a: 1 }],
  ['timestamps', {}, undefined, undefined, { timestamps: true }],
  [
    'own timestamps',
    {},
    undefined,
    undefined,
    { timestamps: { createdAt: 'at', updatedAt: 'to' } },
  ],
  ['one timestamp', {}, undefined, undefined, { timestamps: { createdAt: false } }],
  ['another version', {}, undefined, undefined, { versionKey: 'revision' }],
  ['no version', {}, undefined, undefined, { versionKey: false }],
  ['a getter', { field: { type: String, get: () => 'read' } }, 'a', 'b'],
  ['a setter', { field: { type: String, set: (text: string) => `${text}!` } }, 'a', 'b'],
  ['lowercase', { field: { type: String, lowercase: true, trim: true } }, ' A', 'B '],
  ['a transform', { field: { type: String, transform: () => 'sent' } }, 'a', 'b'],
  ['a default', { field: { type: String, default: 'd' } }, undefined, 'b'],
  ['an immutable field', { field: { type: String, immutable: true } }, 'a', 'b'],
  ['an alias', { field: { type: String, alias: 'other' } }, 'a', 'b'],
  ['a subdocument', { field: new Schema({ a: Number, b: {} }) }, { a: 1 }, { a: '2' }],
  ['subdocuments', { field: [new Schema({ a: Number }, { id: false })] }, [{ a: 1 }], []],
  [
    'subdocuments without _id',
    { field: [new Schema({ a: Number }, { _id: false })] },
    [{ a: 1 }],
    [{}],
  ],
  [
    'timed subdocuments',
    { field: [new Schema({ a: Number }, { timestamps: true })] },
    [{ a: 1 }],
    [{}],
  ],
  ['a nested object', { field: { a: { b: Number } } }, { a: { b: 1 } }, { a: { b: '2' } }],
  ['a Map', { field: { type: Map, of: Number } }, { a: 1 }, { b: '2' }],
  ['a Map of subdocuments', { field: { type: Map, of: new Schema({ a: Number }) } }, { x: {} }, {}],
  ['Mixed', { field: Schema.Types.Mixed }, { a: [new Date(1)] }, [null, {}]],
  ['Decimal128', { field: Schema.Types.Decimal128 }, '1.50', '2'],
  ['Buffer', { field: Buffer }, Buffer.from('a'), Buffer.from('b')],
  ['UUID', { field: Schema.Types.UUID }, uuid(1), uuid(2)],
  ['BigInt', { field: BigInt }, 2n ** 60n, 2n],
  ['Double', { field: Schema.Types.Double }, 1, 2],
  ['Int32', { field: Schema.Types.Int32 }, 1, '2'],
  ['Date', { field: Date }, '2026-01-01', new Date(5)],
  ['a reference', { field: reference }, id(1), id(2)],
  ['references', { field: [reference] }, [id(1)], [id(2), id(1)]],
  ['a union', { field: { type: Schema.Types.Union, of: [Number, Date] } }, 1, '2026-01-01'],
]

function id(last: number): string {
  return `65f0c0ffee012345678900${String(last).padStart(2, '0')}`
}

function uuid(last: number): string {
  return `01234567-89ab-4cde-8123-4567890000${String(last).padStart(2, '0')}`
}

function flattened(): SchemaOptions['toObject'] {
  return { flattenMaps: true, flattenObjectIds: true, minimize: false }
}

const body = z.strictObject({ title: z.string(), field: z.unknown().optional() })
const patch = toPatchSchema(body)
const scope = {}
const match = {}

it.each(cases)(
  '%s: the five verbs return what Mongoose does',
  async (name, field, a, b, options) => {
    const definition = {
      title: { type: String, required: true },
      own: { type: Number, default: 7 },
    }
    const schema = new Schema({ ...definition, ...field }, options)
    schema.virtual('virtual').get(() => 'virtual')
    const Own = client.model<object, Model<object>>(name, schema)
    const first = { title: 'first', ...(a !== undefined && { field: a }) }
    const second = { title: 'second', ...(b !== undefined && { field: b }) }
    const isCounted = schema.get('versionKey') === '__v'
    const change = async (_id: unknown, update: object): Promise<unknown> =>
      Own.findOneAndUpdate({ _id }, isCounted ? { ...update, $inc: { __v: 1 } } : update, {
        returnDocument: 'after',
        runValidators: true,
      }).lean()

    const created = await createDocument(Own, first, { scope })
    const saved = await new Own(first).save()
    const read = async (one: { _id: unknown }): Promise<unknown> => Own.findById(one._id).lean()
    expect(show(created)).toEqual(show(await read(saved)))
    const filter = { _id: created._id }
    expect(show(await findDocument(Own, filter, { scope }))).toEqual(show(await read(saved)))
    const query = { conditions: [], sort: [], page: 1, limit: 9, fingerprint: '' } as never
    const { data } = await findPage(Own, query, { scope })
    expect(data.map(show)).toEqual((await Own.find().lean()).map(show))

    const replaced = await replaceDocument(Own, filter, {
      scope,
      match,
      schema: body,
      input: second,
    })
    const expected = await change(saved._id, {
      $set: second,
      ...(b === undefined && { $unset: { field: 1 } }),
    })
    expect(show(replaced)).toEqual(show(expected))
    // Objects are merged.
    const input = { title: 'third', ...(typeof a !== 'object' && a !== undefined && { field: a }) }
    const patched = await patchDocument(Own, filter, { scope, match, schema: patch, input })
    expect(show(patched)).toEqual(show(await change(saved._id, { $set: input })))
    expect(show(await read(created))).toEqual(show(await read(saved)))

    await deleteDocument(Own, filter, { scope, match })
    expect(await Own.countDocuments()).toBe(1)
  },
)

// Without what differs from one document to the next: generated ids and times.
function show(value: unknown): unknown {
  const text = mongo.BSON.EJSON.stringify(Object(value), { relaxed: true })
  return JSON.parse(text, (key, own: unknown) => {
    if (['_id', 'createdAt', 'updatedAt', 'at', 'to'].includes(key)) return key
    return own
  })
}

const Media = client.model('Media', new Schema({ title: String }, { discriminatorKey: 'kind' }))
const Book = Media.discriminator('Book', new Schema({ pages: Number }), 'bk')

it.each<[string, Model<object>]>([
  ['the base model', Media as never],
  ['the model of a discriminator', Book as never],
])(
  '%s: the five verbs know the fields of a discriminator with its own value',
  async (_name, Own) => {
    const schema = z.strictObject({
      title: z.string(),
      kind: z.literal('bk').optional(),
      pages: z.int().optional(),
    })
    const kind = { scope: { kind: 'bk' } }
    const created = await createDocument(Own, { title: 'a', pages: 1 }, kind)
    expect(created).toMatchObject({ kind: 'bk', pages: 1 })
    const filter = { _id: created._id }
    const input = { title: 'b', kind: 'bk', pages: 2 }
    expect(await replaceDocument(Own, filter, { ...kind, match, schema, input })).toMatchObject(
      input,
    )
    const change = { scope: {}, match, schema: toPatchSchema(schema), input: { pages: 3 } }
    expect(await patchDocument(Own, filter, change)).toMatchObject({ pages: 3, title: 'b' })
    expect(await findDocument(Own, filter, kind)).toMatchObject({ kind: 'bk', pages: 3 })
    await deleteDocument(Own, filter, { ...kind, match })
  },
)
