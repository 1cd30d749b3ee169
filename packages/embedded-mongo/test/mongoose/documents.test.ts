// oxlint-disable no-underscore-dangle -- MongoDB's own name for the key
import { Schema, Types } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()
const note = () =>
  connection.model(
    'Note',
    new Schema({
      title: String,
      tags: [String],
      meta: { views: Number, author: { name: String } },
      any: Schema.Types.Mixed,
    }),
  )

// Mongoose adds its array methods to a plain array when it is assigned.
function asArray(array: string[]): Types.Array<string> {
  return array as Types.Array<string>
}

describe('mongoose documents', () => {
  it('saves a new document and knows it is no longer new', async () => {
    const Note = note()
    const doc = new Note({ title: 'x' })
    expect(doc.isNew).toBe(true)
    await doc.save()
    expect(doc.isNew).toBe(false)
    expect(await Note.countDocuments()).toBe(1)
  })

  it('writes only what changed', async () => {
    const Note = note()
    const doc = await Note.create({ title: 'x', meta: { views: 1 } })
    await Note.updateOne({ _id: doc._id }, { 'meta.views': 5 })
    doc.title = 'y'
    expect(doc.modifiedPaths()).toEqual(['title'])
    await doc.save()
    expect(await Note.findById(doc._id).lean()).toMatchObject({ title: 'y', meta: { views: 5 } })
  })

  it('sets nested paths', async () => {
    const Note = note()
    const doc = await Note.create({ title: 'x' })
    doc.set('meta.author.name', 'Ann')
    await doc.save()
    expect(await Note.findById(doc._id).lean()).toMatchObject({ meta: { author: { name: 'Ann' } } })
  })

  it('unsets with undefined', async () => {
    const Note = note()
    const doc = await Note.create({ title: 'x', tags: ['a'] })
    doc.set('title', undefined)
    await doc.save()
    expect(await Note.findById(doc._id).lean()).not.toHaveProperty('title')
  })

  it('changes arrays with their own operators', async () => {
    const Note = note()
    const doc = await Note.create({ tags: ['a', 'b'] })
    doc.tags.push('c')
    await doc.save()
    asArray(doc.tags).pull('a')
    await doc.save()
    asArray(doc.tags).addToSet('b', 'd')
    await doc.save()
    doc.tags.unshift('z')
    await doc.save()
    asArray(doc.tags).set(1, 'B')
    await doc.save()
    expect((await Note.findById(doc._id).orFail()).toObject().tags).toEqual(['z', 'B', 'c', 'd'])
  })

  it('saves a mixed path that was marked as modified', async () => {
    const Note = note()
    const doc = await Note.create({ any: { a: 1 } })
    doc.any.a = 2
    doc.markModified('any')
    await doc.save()
    expect(await Note.findById(doc._id).lean()).toMatchObject({ any: { a: 2 } })
  })

  it('overwrites', async () => {
    const Note = note()
    const doc = await Note.create({ title: 'x', tags: ['a'] })
    doc.overwrite({ title: 'new' })
    await doc.save()
    expect(await Note.findById(doc._id).lean()).toEqual({ _id: doc._id, title: 'new', __v: 0 })
  })

  it('updates and deletes itself', async () => {
    const Note = note()
    const doc = await Note.create({ title: 'x' })
    await doc.updateOne({ title: 'y' })
    expect(await Note.findById(doc._id).lean()).toMatchObject({ title: 'y' })
    await doc.deleteOne()
    expect(await Note.countDocuments()).toBe(0)
  })

  it('fails to save a deleted document', async () => {
    const Note = note()
    const doc = await Note.create({ title: 'x' })
    await Note.deleteOne({ _id: doc._id })
    doc.title = 'y'
    await expect(doc.save()).rejects.toMatchObject({ name: 'DocumentNotFoundError' })
  })

  it('keeps timestamps and ids over JSON', async () => {
    const Note = note()
    const doc = await Note.create({ title: 'x' })
    expect(JSON.parse(JSON.stringify(doc))).toMatchObject({ _id: String(doc._id), title: 'x' })
  })

  it('reverts nothing by itself: init reads the stored document again', async () => {
    const Note = note()
    const doc = await Note.create({ title: 'x' })
    doc.title = 'local'
    const again = await Note.findById(doc._id).orFail()
    expect([doc.title, again.title]).toEqual(['local', 'x'])
  })

  it('saves the same document at once from two places: the later write wins per field', async () => {
    const Note = note()
    const { _id } = await Note.create({ title: 'x', meta: { views: 1 } })
    const [a, b] = [await Note.findById(_id).orFail(), await Note.findById(_id).orFail()]
    a.title = 'a'
    b.set('meta.views', 2)
    await Promise.all([a.save(), b.save()])
    expect(await Note.findById(_id).lean()).toMatchObject({ title: 'a', meta: { views: 2 } })
  })

  it('selects fields and leaves out unselected ones', async () => {
    const Note = note()
    const { _id } = await Note.create({ title: 'x', tags: ['a'] })
    const partial = await Note.findById(_id).select('title').orFail()
    expect(partial.isSelected('tags')).toBe(false)
    partial.title = 'y'
    await partial.save()
    expect(await Note.findById(_id).lean()).toMatchObject({ title: 'y', tags: ['a'] })
  })

  it('casts ids given as text', async () => {
    const Note = note()
    const { id, _id } = await Note.create({ title: 'x' })
    expect((await Note.findById(id))?._id).toEqual(_id)
    await expect(Note.findById('not-an-id')).rejects.toMatchObject({ name: 'CastError' })
    expect(await Note.findById(new Types.ObjectId())).toBeNull()
  })
})
