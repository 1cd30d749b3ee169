import { describe, expect, it } from 'vitest'
import mongoose from 'mongoose'
import { startEmbeddedMongo } from '../../index.ts'

describe('startEmbeddedMongo', () => {
  it('serves a Mongoose model: create, find, update, delete, indexes', async () => {
    const mongo = await startEmbeddedMongo({ storage: { memory: true } })
    await mongoose.connect(mongo.uri)
    const User = mongoose.model(
      'User',
      new mongoose.Schema(
        { name: String, email: { type: String, unique: true }, tags: [String] },
        { timestamps: true },
      ),
    )
    await User.init()
    const u = await User.create({ name: 'Ann', email: 'a@x', tags: ['p'] })
    await expect(User.create({ name: 'Bob', email: 'a@x' })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { email: 1 },
      keyValue: { email: 'a@x' },
    })
    u.name = 'Anna'
    u.tags.push('q')
    await u.save()
    expect((await User.findById(u.id))?.name).toBe('Anna')
    expect(
      await User.findOneAndUpdate(
        { name: 'Anna' },
        { $set: { name: 'A' } },
        { returnDocument: 'after' },
      ),
    ).toMatchObject({ name: 'A' })
    await User.updateMany({}, { $inc: { n: 1 } }, { strict: false })
    await User.insertMany([
      { name: 'x', email: '1' },
      { name: 'y', email: '2' },
    ])
    expect(await User.find().sort({ name: -1 }).limit(2).select('name').lean()).toMatchObject([
      { name: 'y' },
      { name: 'x' },
    ])
    expect(await User.distinct('name')).toEqual(['A', 'x', 'y'])
    expect(await User.estimatedDocumentCount()).toBe(3)
    expect(await User.countDocuments({ name: 'x' })).toBe(1)
    expect(await User.updateOne({ name: 'z' }, { email: '4' }, { upsert: true })).toMatchObject({
      upsertedCount: 1,
    })
    await User.deleteOne({ name: 'x' })
    await User.syncIndexes()
    expect((await User.collection.indexes()).map((i) => i.name)).toEqual(['_id_', 'email_1'])
    await mongoose.connection.dropDatabase()
    await mongoose.disconnect()
    await mongo.stop()
  })
})
