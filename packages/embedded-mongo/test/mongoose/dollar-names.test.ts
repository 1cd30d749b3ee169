import { Schema, Types } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

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
})
