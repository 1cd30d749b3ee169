import { type Model, Schema, Types } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

interface Price {
  price: { $sale?: number }
}
type Things = Model<Price>

describe('names that start with $', () => {
  const connection = useConnection()

  it('are saved, found and updated in nested paths', async () => {
    const Thing = connection.model('Thing', new Schema({ price: { $sale: Number, plain: Number } }))
    const thing = await Thing.create({ price: { $sale: 1, plain: 2 } })
    thing.set('price.$sale', 3)
    await thing.save()
    await Thing.updateOne({ 'price.$sale': 3 }, { $inc: { 'price.$sale': 1 } })
    expect(await Thing.findOne({ 'price.$sale': 4 }).lean()).toMatchObject({
      price: { $sale: 4, plain: 2 },
    })
  })

  it('are inserted by an upsert at the top level', async () => {
    const Thing = connection.model('Thing', new Schema({ $key: String }))
    const id = new Types.ObjectId()
    await Thing.updateOne({ _id: id }, { $key: 'x' }, { upsert: true })
    expect(await Thing.findById(id).lean()).toEqual({ _id: id, $key: 'x', __v: 0 })
  })

  it.each<[string, (things: Things) => PromiseLike<unknown>]>([
    ['insertMany', (things) => things.insertMany([{ price: { $sale: 4 } }])],
    [
      'bulkWrite',
      (things) => things.bulkWrite([{ insertOne: { document: { price: { $sale: 4 } } } }]),
    ],
    ['a replacement', (things) => things.replaceOne({}, { price: { $sale: 4 } }, { upsert: true })],
    [
      'findOneAndReplace',
      (things) => things.findOneAndReplace({}, { price: { $sale: 4 } }, { upsert: true }),
    ],
    [
      'findOneAndUpdate',
      (things) => things.findOneAndUpdate({}, { 'price.$sale': 4 }, { upsert: true }),
    ],
    [
      '$setOnInsert',
      (things) => things.updateOne({}, { $setOnInsert: { price: { $sale: 4 } } }, { upsert: true }),
    ],
  ])('are written by %s', async (_name, write) => {
    const Thing = connection.model<Price>('Thing', new Schema<Price>({ price: { $sale: Number } }))
    await write(Thing)
    expect(await Thing.findOne().select('-_id price').lean()).toEqual({ price: { $sale: 4 } })
    await Thing.updateMany(
      {},
      { $unset: { 'price.$sale': 1 }, $set: { 'price.$old': 1 } },
      { strict: false },
    )
    expect(await Thing.findOne().select('-_id price').lean()).toEqual({ price: { $old: 1 } })
  })

  it('are found in lists of references to documents', async () => {
    const reference = { $ref: String, $id: Schema.Types.ObjectId, $db: String }
    const Chat = connection.model('Chat', new Schema({ members: [reference], owner: reference }))
    const [id, other] = [new Types.ObjectId(), new Types.ObjectId()]
    const member = ($id: Types.ObjectId) => ({ $ref: 'users', $id, $db: 'app' })
    await Chat.create({ members: [member(other), member(id)], owner: member(id) })
    const count = (filter: object) => Chat.countDocuments(filter)
    expect(await count({ members: { $elemMatch: { $id: id } } })).toBe(1)
    expect(await count({ members: { $elemMatch: { $ref: 'users', $id: other } } })).toBe(1)
    expect(await count({ members: { $elemMatch: { $id: new Types.ObjectId() } } })).toBe(0)
    expect(await count({ 'members.$id': String(id) })).toBe(1)
    expect(await count({ 'owner.$id': id })).toBe(1)
    await Chat.updateOne({}, { $pull: { members: { $id: id } } })
    expect(await count({ 'members.$id': id })).toBe(0)
  })
})
