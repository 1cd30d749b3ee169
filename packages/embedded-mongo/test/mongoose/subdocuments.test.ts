// oxlint-disable no-underscore-dangle -- MongoDB's own name for the key
import { Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()
const child = new Schema({ name: { type: String, required: true }, age: Number })
const parent = () =>
  connection.model('Parent', new Schema({ children: [child], only: child, matrix: [[Number]] }))

describe('mongoose subdocuments', () => {
  it('gives ids to subdocuments and finds them by id', async () => {
    const doc = await parent().create({ children: [{ name: 'a' }, { name: 'b' }] })
    expect(doc.children.id(String(doc.children[1]?._id))?.name).toBe('b')
  })

  it('adds, changes and removes subdocuments', async () => {
    const Parent = parent()
    const doc = await Parent.create({ children: [{ name: 'a' }] })
    doc.children.push({ name: 'b', age: 2 })
    await doc.save()
    doc.set('children.0.age', 9)
    await doc.save()
    doc.children[1]?.deleteOne()
    await doc.save()
    const found = await Parent.findById(doc._id).lean()
    expect(found?.children).toMatchObject([{ name: 'a', age: 9 }])
  })

  it('validates subdocuments', async () => {
    const Parent = parent()
    const attempt = Parent.create({ children: [{ age: 1 }] })
    await expect(attempt).rejects.toMatchObject({
      errors: { 'children.0.name': { kind: 'required' } },
    })
    expect(await Parent.countDocuments()).toBe(0)
  })

  it('holds a single nested subdocument', async () => {
    const Parent = parent()
    const doc = await Parent.create({ only: { name: 'x' } })
    doc.set('only.age', 3)
    await doc.save()
    expect(await Parent.findById(doc._id).lean()).toMatchObject({ only: { name: 'x', age: 3 } })
    doc.set('only', undefined)
    await doc.save()
    expect(await Parent.findById(doc._id).lean()).not.toHaveProperty('only')
  })

  it('queries into subdocuments', async () => {
    const Parent = parent()
    await Parent.create([
      {
        children: [
          { name: 'a', age: 1 },
          { name: 'b', age: 5 },
        ],
      },
      { children: [{ name: 'c', age: 3 }] },
    ])
    expect(await Parent.countDocuments({ 'children.name': 'b' })).toBe(1)
    expect(await Parent.countDocuments({ children: { $elemMatch: { name: 'a', age: 5 } } })).toBe(0)
    expect(await Parent.countDocuments({ 'children.1': { $exists: true } })).toBe(1)
    expect(await Parent.countDocuments({ children: { $size: 1 } })).toBe(1)
  })

  it('updates the subdocument that matched', async () => {
    const Parent = parent()
    const doc = await Parent.create({ children: [{ name: 'a' }, { name: 'b' }] })
    await Parent.updateOne(
      { _id: doc._id, 'children.name': 'b' },
      { $set: { 'children.$.age': 7 } },
    )
    expect((await Parent.findById(doc._id).lean())?.children).toMatchObject([
      { name: 'a' },
      { name: 'b', age: 7 },
    ])
  })

  it('updates subdocuments by array filters and all of them', async () => {
    const Parent = parent()
    const doc = await Parent.create({
      children: [
        { name: 'a', age: 1 },
        { name: 'b', age: 5 },
      ],
    })
    await Parent.updateOne(
      { _id: doc._id },
      { $set: { 'children.$[x].name': 'old' } },
      { arrayFilters: [{ 'x.age': { $gte: 5 } }] },
    )
    await Parent.updateOne({ _id: doc._id }, { $inc: { 'children.$[].age': 1 } })
    expect((await Parent.findById(doc._id).lean())?.children).toMatchObject([
      { name: 'a', age: 2 },
      { name: 'old', age: 6 },
    ])
  })

  it('pulls subdocuments by a condition', async () => {
    const Parent = parent()
    const doc = await Parent.create({
      children: [
        { name: 'a', age: 1 },
        { name: 'b', age: 5 },
      ],
    })
    await Parent.updateOne({ _id: doc._id }, { $pull: { children: { age: { $lt: 3 } } } })
    expect((await Parent.findById(doc._id).lean())?.children).toMatchObject([{ name: 'b' }])
  })

  it('keeps arrays of arrays', async () => {
    const Parent = parent()
    const doc = await Parent.create({ matrix: [[1, 2], [3]] })
    doc.set('matrix.1.0', 9)
    await doc.save()
    expect((await Parent.findById(doc._id).lean())?.matrix).toEqual([[1, 2], [9]])
  })

  it('goes up to its parent', async () => {
    const doc = await parent().create({ children: [{ name: 'a' }] })
    expect(doc.children[0]?.parent()).toBe(doc)
    expect(doc.children[0]?.ownerDocument()).toBe(doc)
  })
})
