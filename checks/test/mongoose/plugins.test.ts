import { createRequire } from 'node:module'
import {
  createDocument,
  deleteDocument,
  findDocument,
  findPage,
  patchDocument,
  replaceDocument,
  toPatchSchema,
} from '@create-api/core/resource'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { type Model, mongo, Mongoose, Schema } from 'mongoose'
import { afterAll, expect, it } from 'vitest'
import { z } from 'zod'

const require = createRequire(import.meta.url)
const server = await startEmbeddedMongo({ storage: { memory: true } })
const client = await new Mongoose().connect(server.uri)

afterAll(async () => {
  await client.disconnect()
  await server.stop()
})

type Plugin = (schema: Schema, options?: object) => void

function load(name: string, options?: object): Plugin {
  const loaded: unknown = require(name)
  const { default: plugin = loaded, mongooseLeanVirtuals = plugin } = Object(loaded)
  return (schema) => schema.plugin(mongooseLeanVirtuals, options)
}

const plugins: [string, Plugin][] = [
  ['none', () => {}],
  ['mongoose-autopopulate', load('mongoose-autopopulate')],
  ['mongoose-delete', load('mongoose-delete', { overrideMethods: true, deletedAt: true })],
  [
    'mongoose-hidden',
    (schema) => schema.plugin(require('mongoose-hidden')({ hidden: { title: true } })),
  ],
  ['mongoose-lean-defaults', load('mongoose-lean-defaults')],
  ['mongoose-lean-id', load('mongoose-lean-id')],
  ['mongoose-lean-virtuals', load('mongoose-lean-virtuals')],
  ['mongoose-paginate-v2', load('mongoose-paginate-v2')],
  ['@meanie/mongoose-to-json', load('@meanie/mongoose-to-json')],
  ['mongoose-unique-validator', load('mongoose-unique-validator')],
]

const Author = client.model('Author', new Schema({ name: String }))
const body = z.strictObject({ title: z.string(), author: z.string(), rank: z.int().optional() })
const scope = {}
const match = {}

it.each(plugins)('%s: the five verbs return what Mongoose does', async (name, plugin) => {
  const author = { type: Schema.Types.ObjectId, ref: 'Author', autopopulate: true }
  const title = { type: String, unique: true, required: true }
  const schema = new Schema(
    { title, author, rank: { type: Number, default: 1 } },
    { timestamps: true },
  )
  schema.virtual('loud').get(() => 'loud')
  plugin(schema)
  const Post = client.model<object, Model<object>>(name, schema)
  const { _id } = await Author.create({ name: 'A' })
  const input = { title: 'one', author: String(_id) }
  const read = async (id: unknown): Promise<unknown> => show(await Post.findById(id).lean())

  const created = await createDocument(Post, input, { scope })
  const filter = { _id: created._id }
  const saved = await new Post({ ...input, title: 'two' }).save()
  expect(show({ ...created, title: 'two' })).toEqual(await read(saved._id))
  expect(show(await findDocument(Post, filter, { scope }))).toEqual(await read(created._id))
  const query = { conditions: [], sort: [], page: 1, limit: 9, fingerprint: '' } as never
  const { data } = await findPage(Post, query, { scope })
  expect(data.map(show)).toEqual((await Post.find().lean()).map(show))

  const replacement = { ...input, title: 'three' }
  const replaced = await replaceDocument(Post, filter, {
    scope,
    match,
    schema: body,
    input: replacement,
  })
  const changed = await Post.findOneAndUpdate(
    { _id: saved._id },
    { $set: { ...replacement, title: 'four' }, $unset: { rank: 1 }, $inc: { __v: 1 } },
    { returnDocument: 'after', runValidators: true },
  ).lean()
  expect(show({ ...replaced, title: 'four' })).toEqual(show(changed))
  const patch = { scope, match, schema: toPatchSchema(body), input: { rank: 5 } }
  expect(await patchDocument(Post, filter, patch)).toMatchObject({ rank: 5, title: 'three' })
  expect(show(await findDocument(Post, filter, { scope }))).toEqual(await read(created._id))

  const twice = createDocument(Post, replacement, { scope })
  await expect(twice).rejects.toThrow(/duplicate|unique/)
  await deleteDocument(Post, filter, { scope, match })
  expect(await Post.findById(created._id).lean()).toBeNull()
})

// Without what differs from one document to the next, and the `id` that a plugin derives from `_id` as responses do.
function show(value: unknown): unknown {
  const text = mongo.BSON.EJSON.stringify(Object(value), { relaxed: true })
  return JSON.parse(text, (key, own: unknown) =>
    key === 'id' ? undefined : ['_id', 'createdAt', 'updatedAt'].includes(key) ? key : own,
  )
}
