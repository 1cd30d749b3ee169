// oxlint-disable no-underscore-dangle -- MongoDB's own name for the key
import { Schema, Types } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()
const tank = () =>
  connection.model('Tank', new Schema({ name: String, size: String, volume: Number }))

describe('mongoose models', () => {
  it('creates one, many and with insertMany', async () => {
    const Tank = tank()
    await Tank.create({ name: 'a' })
    await Tank.create([{ name: 'b' }, { name: 'c' }])
    await Tank.insertMany([{ name: 'd' }, { name: 'e' }])
    expect(await Tank.distinct('name')).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('reports a duplicate with code, key and value', async () => {
    const Model = connection.model('Unique', new Schema({ email: { type: String, unique: true } }))
    await Model.init()
    await Model.create({ email: 'a@x' })
    await expect(Model.create({ email: 'a@x' })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { email: 1 },
      keyValue: { email: 'a@x' },
    })
  })

  it('inserts what it can with ordered: false', async () => {
    const Tank = tank()
    const _id = new Types.ObjectId()
    const attempt = Tank.insertMany([{ _id, name: 'a' }, { _id, name: 'b' }, { name: 'c' }], {
      ordered: false,
    })
    await expect(attempt).rejects.toMatchObject({ code: 11000 })
    expect(await Tank.distinct('name')).toEqual(['a', 'c'])
  })

  it('counts, estimates and checks existence', async () => {
    const Tank = tank()
    await Tank.create([{ size: 'small' }, { size: 'small' }, { size: 'big' }])
    expect(await Tank.countDocuments({ size: 'small' })).toBe(2)
    expect(await Tank.estimatedDocumentCount()).toBe(3)
    expect(await Tank.exists({ size: 'big' })).toMatchObject({ _id: expect.any(Types.ObjectId) })
    expect(await Tank.exists({ size: 'huge' })).toBeNull()
  })

  it('updates one and many', async () => {
    const Tank = tank()
    await Tank.create([{ size: 'small' }, { size: 'small' }, { size: 'big' }])
    expect(await Tank.updateOne({ size: 'small' }, { volume: 1 })).toMatchObject({
      matchedCount: 1,
      modifiedCount: 1,
    })
    expect(await Tank.updateMany({ size: 'small' }, { volume: 1 })).toMatchObject({
      matchedCount: 2,
      modifiedCount: 1,
    })
    expect(await Tank.updateOne({ size: 'none' }, { volume: 1 })).toMatchObject({ matchedCount: 0 })
  })

  it('upserts', async () => {
    const Tank = tank()
    const result = await Tank.updateOne(
      { name: 'new' },
      { $set: { size: 'big' } },
      { upsert: true },
    )
    expect(result.upsertedId).toBeInstanceOf(Types.ObjectId)
    expect(await Tank.findById(result.upsertedId).lean()).toMatchObject({
      name: 'new',
      size: 'big',
      __v: 0,
    })
  })

  it('replaces', async () => {
    const Tank = tank()
    const { _id } = await Tank.create({ name: 'a', size: 'big' })
    await Tank.replaceOne({ _id }, { name: 'b' })
    expect(await Tank.findById(_id).lean()).toEqual({ _id, name: 'b', __v: 0 })
  })

  it('deletes one and many', async () => {
    const Tank = tank()
    await Tank.create([{ size: 's' }, { size: 's' }, { size: 'b' }])
    expect(await Tank.deleteOne({ size: 's' })).toMatchObject({ deletedCount: 1 })
    expect(await Tank.deleteMany({})).toMatchObject({ deletedCount: 2 })
  })

  it('finds and updates, replaces, deletes', async () => {
    const Tank = tank()
    const { _id } = await Tank.create({ name: 'a', volume: 1 })
    expect((await Tank.findOneAndUpdate({ _id }, { $inc: { volume: 1 } }))?.volume).toBe(1)
    expect(
      (await Tank.findByIdAndUpdate(_id, { $inc: { volume: 1 } }, { returnDocument: 'after' }))
        ?.volume,
    ).toBe(3)
    expect(
      (
        await Tank.findOneAndReplace({ _id }, { name: 'z' }, { returnDocument: 'after' })
      )?.toObject(),
    ).toMatchObject({ _id, name: 'z' })
    expect((await Tank.findByIdAndDelete(_id))?.name).toBe('z')
    expect(await Tank.findOneAndDelete({ _id })).toBeNull()
  })

  it('finds and updates with sort, projection and upsert', async () => {
    const Tank = tank()
    await Tank.create([
      { name: 'a', volume: 1 },
      { name: 'b', volume: 9 },
    ])
    const biggest = await Tank.findOneAndUpdate(
      {},
      { size: 'x' },
      { sort: { volume: -1 }, projection: { name: 1 }, returnDocument: 'after' },
    ).lean()
    expect(biggest).toMatchObject({ name: 'b' })
    expect(biggest).not.toHaveProperty('volume')
    const raw = await Tank.findOneAndUpdate(
      { name: 'c' },
      { volume: 5 },
      { upsert: true, returnDocument: 'after', includeResultMetadata: true },
    )
    expect(raw.lastErrorObject).toMatchObject({ updatedExisting: false, n: 1 })
    expect(raw.value?.volume).toBe(5)
  })

  it('runs a bulkWrite of all kinds', async () => {
    const Tank = tank()
    await Tank.create([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    const result = await Tank.bulkWrite([
      { insertOne: { document: { name: 'd' } } },
      { updateOne: { filter: { name: 'a' }, update: { $set: { size: 'x' } } } },
      { updateMany: { filter: {}, update: { $set: { volume: 1 } } } },
      { replaceOne: { filter: { name: 'b' }, replacement: { name: 'bb' } } },
      { deleteOne: { filter: { name: 'c' } } },
      { updateOne: { filter: { name: 'e' }, update: { $set: { size: 'y' } }, upsert: true } },
    ])
    expect(result).toMatchObject({ insertedCount: 1, deletedCount: 1, upsertedCount: 1 })
    expect(await Tank.distinct('name')).toEqual(['a', 'bb', 'd', 'e'])
  })

  it('saves many documents with bulkSave', async () => {
    const Tank = tank()
    const docs = [new Tank({ name: 'a' }), new Tank({ name: 'b' })]
    await Tank.bulkSave(docs)
    for (const doc of docs) doc.volume = 5
    await Tank.bulkSave(docs)
    expect(await Tank.countDocuments({ volume: 5 })).toBe(2)
  })

  it('writes to several models in one bulkWrite of the connection', async () => {
    const Tank = tank()
    const Fish = connection.model('Fish', new Schema({ name: String }))
    await connection.bulkWrite([
      { model: 'Tank', name: 'insertOne', document: { name: 't' } },
      { model: 'Fish', name: 'insertOne', document: { name: 'f' } },
    ])
    expect(await Tank.countDocuments()).toBe(1)
    expect(await Fish.countDocuments()).toBe(1)
  })

  it('hydrates, translates aliases and compares by _id', async () => {
    const Tank = tank()
    const { _id } = await Tank.create({ name: 'a' })
    const hydrated = Tank.hydrate({ _id, name: 'a' })
    hydrated.name = 'b'
    await hydrated.save()
    expect(await Tank.findById(_id).lean()).toMatchObject({ name: 'b' })
    expect(hydrated.equals(await Tank.findById(_id).orFail())).toBe(true)
  })

  it('sees what another model of the collection wrote', async () => {
    await tank().create({ name: 'a' })
    const View = connection.model('View', new Schema({ name: String }, { collection: 'tanks' }))
    expect(await View.findOne().lean()).toMatchObject({ name: 'a' })
  })
})
