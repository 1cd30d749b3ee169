import { Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()
const stamped = () =>
  connection.model(
    'Stamped',
    new Schema(
      { n: Number, inner: [new Schema({ x: Number }, { timestamps: true })] },
      { timestamps: true },
    ),
  )
const later = (date: Date) => new Date(date.getTime() - 10_000)

describe('mongoose timestamps', () => {
  it('sets createdAt and updatedAt to the same time', async () => {
    const doc = await stamped().create({ n: 1 })
    expect(doc.createdAt).toBeInstanceOf(Date)
    expect(doc.updatedAt).toEqual(doc.createdAt)
  })

  it.each([
    ['updateOne', (M: ReturnType<typeof stamped>) => M.updateOne({}, { n: 2 })],
    ['updateMany', (M: ReturnType<typeof stamped>) => M.updateMany({}, { $inc: { n: 1 } })],
    ['findOneAndUpdate', (M: ReturnType<typeof stamped>) => M.findOneAndUpdate({}, { n: 2 })],
    [
      'bulkWrite',
      (M: ReturnType<typeof stamped>) =>
        M.bulkWrite([{ updateOne: { filter: {}, update: { n: 2 } } }]),
    ],
  ])('moves updatedAt with %s and keeps createdAt', async (_name, change) => {
    const Model = stamped()
    const { _id, createdAt } = await Model.create({ n: 1 })
    await Model.collection.updateOne({ _id }, { $set: { updatedAt: later(createdAt) } })
    await change(Model)
    const found = await Model.findById(_id).orFail()
    expect(found.createdAt).toEqual(createdAt)
    expect(found.updatedAt.getTime()).toBeGreaterThanOrEqual(createdAt.getTime())
  })

  it('sets createdAt once in an upsert', async () => {
    const Model = stamped()
    const upsert = () =>
      Model.findOneAndUpdate(
        { n: 7 },
        { $set: { n: 7 } },
        { upsert: true, returnDocument: 'after' },
      ).orFail()
    const first = await upsert()
    const second = await upsert()
    expect(first.createdAt).toBeInstanceOf(Date)
    expect(second.createdAt).toEqual(first.createdAt)
  })

  it('can be left out of one update', async () => {
    const Model = stamped()
    const { _id, updatedAt } = await Model.create({ n: 1 })
    await Model.updateOne({ _id }, { n: 2 }, { timestamps: false })
    expect((await Model.findById(_id).orFail()).updatedAt).toEqual(updatedAt)
  })

  it('stamps subdocuments', async () => {
    const doc = await stamped().create({ inner: [{ x: 1 }] })
    expect(doc.inner[0]).toMatchObject({ createdAt: expect.any(Date) })
  })

  it('accepts other names', async () => {
    const Model = connection.model(
      'Renamed',
      new Schema({ n: Number }, { timestamps: { createdAt: 'made', updatedAt: false } }),
    )
    const { _id } = await Model.create({ n: 1 })
    const found = await Model.findById(_id).lean()
    expect(found).toHaveProperty('made')
    expect(found).not.toHaveProperty('updatedAt')
  })
})
