import { model, Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { versioned } from './versioned.ts'

// The last hook sees what would be sent to the database.
async function toSent(update: object, options: object = {}): Promise<unknown> {
  let sent: unknown
  const schema = new Schema({ title: String, count: Number }, { timestamps: true }).plugin(
    versioned,
  )
  schema.pre('findOneAndUpdate', function keep() {
    sent = this.getUpdate()
    throw new Error('enough')
  })
  const Item = model('Item', schema, 'items', { overwriteModels: true })
  const pending = Item.findOneAndUpdate({ title: 'x' }, update, options)
  await expect(pending).rejects.toThrow('enough')
  return sent
}

describe('versioned', () => {
  it('increments the version in every form of update', async () => {
    expect(await toSent({ $set: { title: 'a' } })).toMatchObject({ $inc: { __v: 1 } })
    expect(await toSent({ title: 'a' })).toMatchObject({ $inc: { __v: 1 } })
    expect(await toSent({ $inc: { count: 2 } })).toMatchObject({ $inc: { count: 2, __v: 1 } })
    expect(await toSent({ $unset: { title: true } })).toMatchObject({ $inc: { __v: 1 } })
    expect(await toSent([{ $set: { title: 'a' } }], { updatePipeline: true })).toContainEqual({
      $set: { __v: { $add: ['$__v', 1] } },
    })
  })

  it('does not change an update that sets the version itself', async () => {
    expect(await toSent({ $set: { title: 'a', __v: 7 } })).not.toHaveProperty('$inc')
  })

  it('sends nothing for an update that changes nothing but timestamps', async () => {
    expect(await toSent({})).toEqual({})
    expect(await toSent({ $set: {} })).toEqual({})
  })
})
