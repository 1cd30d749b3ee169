// oxlint-disable no-underscore-dangle -- MongoDB's own name for the key
import { Schema, type Types } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()
const guarded = () =>
  connection.model(
    'Guarded',
    new Schema({ name: String, status: String, list: [Number] }, { optimisticConcurrency: true }),
  )

function asArray(array: number[]): Types.Array<number> {
  return array as Types.Array<number>
}

describe('mongoose versions', () => {
  it('increments with each guarded save', async () => {
    const Model = guarded()
    const doc = await Model.create({ name: 'a' })
    doc.name = 'b'
    await doc.save()
    expect(doc.get('__v')).toBe(1)
    expect(await Model.findById(doc._id).lean()).toMatchObject({ name: 'b', __v: 1 })
  })

  it('rejects the save of an old version', async () => {
    const Model = guarded()
    const { _id } = await Model.create({ name: 'a' })
    const [first, second] = [await Model.findById(_id).orFail(), await Model.findById(_id).orFail()]
    first.name = 'first'
    second.name = 'second'
    await first.save()
    await expect(second.save()).rejects.toMatchObject({ name: 'VersionError' })
    expect(await Model.findById(_id).lean()).toMatchObject({ name: 'first' })
  })

  it('lets one of many racing saves win', async () => {
    const Model = guarded()
    const { _id } = await Model.create({ name: 'a' })
    const docs = await Promise.all([1, 2, 3, 4].map(() => Model.findById(_id).orFail()))
    const results = await Promise.allSettled(docs.map((doc, i) => doc.set('name', `n${i}`).save()))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('guards positions in arrays without the option too', async () => {
    const Model = connection.model('Listed', new Schema({ list: [Number] }))
    const { _id } = await Model.create({ list: [1, 2, 3] })
    const [first, second] = [await Model.findById(_id).orFail(), await Model.findById(_id).orFail()]
    asArray(first.list).pull(1)
    await first.save()
    asArray(second.list).set(2, 9)
    await expect(second.save()).rejects.toMatchObject({ name: 'VersionError' })
  })

  it('does not guard plain fields without the option', async () => {
    const Model = connection.model('Loose', new Schema({ name: String }))
    const { _id } = await Model.create({ name: 'a' })
    const [first, second] = [await Model.findById(_id).orFail(), await Model.findById(_id).orFail()]
    await first.set('name', 'first').save()
    await second.set('name', 'second').save()
    expect(await Model.findById(_id).lean()).toMatchObject({ name: 'second', __v: 0 })
  })

  it('increments on demand', async () => {
    const Model = connection.model('Counted', new Schema({ name: String }))
    const doc = await Model.create({ name: 'a' })
    doc.increment()
    await doc.save()
    expect(await Model.findById(doc._id).lean()).toMatchObject({ __v: 1 })
  })
})
