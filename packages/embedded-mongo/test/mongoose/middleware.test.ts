// oxlint-disable no-underscore-dangle -- MongoDB's own name for the key
import { Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()

describe('mongoose middleware', () => {
  it('runs pre and post save in order', async () => {
    const seen: string[] = []
    const schema = new Schema({ n: Number })
    schema.pre('validate', () => void seen.push('pre validate'))
    schema.pre('save', () => void seen.push('pre save'))
    schema.post('save', () => void seen.push('post save'))
    await connection.model('Hooked', schema).create({ n: 1 })
    expect(seen).toEqual(['pre validate', 'pre save', 'post save'])
  })

  it('changes a document before it is saved', async () => {
    const schema = new Schema({ title: String, slug: String })
    schema.pre('save', function slugify() {
      this.slug = this.title?.toLowerCase().replaceAll(' ', '-')
    })
    const doc = await connection.model('Post', schema).create({ title: 'Hello World' })
    expect(await connection.model('Post').findById(doc._id).lean()).toMatchObject({
      slug: 'hello-world',
    })
  })

  it('stops a save that a hook rejects', async () => {
    const schema = new Schema({ n: Number })
    schema.pre('save', () => {
      throw new Error('not today')
    })
    const Model = connection.model('Refused', schema)
    await expect(Model.create({ n: 1 })).rejects.toThrow('not today')
    expect(await Model.countDocuments()).toBe(0)
  })

  it('filters every find, as soft deletes do', async () => {
    const schema = new Schema({ name: String, deleted: Boolean })
    schema.pre(/^find/, function hideDeleted(this: { where(filter: object): unknown }) {
      this.where({ deleted: { $ne: true } })
    })
    const Model = connection.model('Soft', schema)
    await Model.create([{ name: 'a' }, { name: 'b', deleted: true }])
    expect((await Model.find()).map(({ name }) => name)).toEqual(['a'])
    expect(await Model.findOne({ name: 'b' })).toBeNull()
  })

  it('sees what a query found', async () => {
    const found: number[] = []
    const schema = new Schema({ n: Number })
    schema.post('find', (docs: unknown[]) => void found.push(docs.length))
    const Model = connection.model('Counted', schema)
    await Model.create([{ n: 1 }, { n: 2 }])
    await Model.find()
    expect(found).toEqual([2])
  })

  it('changes updates', async () => {
    const schema = new Schema({ n: Number, touched: Boolean })
    schema.pre('updateOne', function touch() {
      this.set({ touched: true })
    })
    const Model = connection.model('Touched', schema)
    const { _id } = await Model.create({ n: 1 })
    await Model.updateOne({ _id }, { n: 2 })
    expect(await Model.findById(_id).lean()).toMatchObject({ n: 2, touched: true })
  })

  it('hooks findOneAndUpdate and deleteOne', async () => {
    const seen: string[] = []
    const schema = new Schema({ n: Number })
    schema.pre('findOneAndUpdate', () => void seen.push('update'))
    schema.post('deleteOne', () => void seen.push('delete'))
    const Model = connection.model('Changed', schema)
    const { _id } = await Model.create({ n: 1 })
    await Model.findOneAndUpdate({ _id }, { n: 2 })
    await Model.deleteOne({ _id })
    expect(seen).toEqual(['update', 'delete'])
  })

  it('hooks insertMany and aggregate', async () => {
    const schema = new Schema({ n: Number, secret: Boolean })
    const sizes: number[] = []
    schema.post('insertMany', (docs: object) => void sizes.push(Object.keys(docs).length))
    schema.pre('aggregate', function hide() {
      this.pipeline().unshift({ $match: { secret: { $ne: true } } })
    })
    const Model = connection.model('Many', schema)
    await Model.insertMany([{ n: 1 }, { n: 2, secret: true }])
    expect(sizes).toEqual([2])
    expect(await Model.aggregate([{ $project: { _id: 0, n: 1 } }])).toEqual([{ n: 1 }])
  })

  it('turns a duplicate into a custom error', async () => {
    const schema = new Schema({ name: { type: String, unique: true } })
    schema.post(
      'save',
      (error: Error & { code?: number }, _doc: unknown, next: (error?: Error) => void) => {
        next(error.code === 11000 ? new Error('name taken') : error)
      },
    )
    const Model = connection.model('Taken', schema)
    await Model.init()
    await Model.create({ name: 'a' })
    await expect(Model.create({ name: 'a' })).rejects.toThrow('name taken')
  })

  it('cascades a delete', async () => {
    const Comment = connection.model('Comment', new Schema({ post: Schema.Types.ObjectId }))
    const schema = new Schema({ title: String })
    schema.post('deleteOne', { document: true, query: false }, async function cascade() {
      await Comment.deleteMany({ post: this._id })
    })
    const Post = connection.model('Article', schema)
    const post = await Post.create({ title: 'x' })
    await Comment.create([{ post: post._id }, { post: post._id }])
    await post.deleteOne()
    expect(await Comment.countDocuments()).toBe(0)
  })
})
