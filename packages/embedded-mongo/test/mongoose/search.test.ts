import { Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()

describe('text search', () => {
  it('finds, scores and sorts by a text index of the schema', async () => {
    const schema = new Schema({ title: String, body: String })
    schema.index({ title: 'text', body: 'text' }, { weights: { title: 5 } })
    const Post = connection.model('Post', schema)
    await Post.init()
    await Post.create(
      { title: 'Sourdough', body: 'How to bake bread' },
      { title: 'Baked beans', body: 'A breakfast' },
      { title: 'Salads', body: 'Nothing is baked here' },
    )
    const found = await Post.find(
      { $text: { $search: 'baking -salad' } },
      { title: 1, score: { $meta: 'textScore' } },
    )
      .sort({ score: { $meta: 'textScore' } })
      .lean<{ title: string; score: number }[]>()
    expect(found.map(({ title, score }) => [title, score])).toEqual([
      ['Baked beans', 3.75],
      ['Sourdough', 0.75],
    ])
    expect(await Post.syncIndexes()).toEqual([])
    expect(await Post.countDocuments({ $text: { $search: 'bread' } })).toBe(1)
  })

  it('follows the documents in a transaction', async () => {
    const schema = new Schema({ title: String }).index({ title: 'text' })
    const Post = connection.model('Post', schema)
    await Post.init()
    const post = await Post.create({ title: 'first draft' })
    const search = (words: string) => Post.find({ $text: { $search: words } })
    await connection.transaction(async (session) => {
      await Post.updateOne({ title: 'first draft' }, { title: 'final text' }, { session })
      expect(await search('drafts').session(session)).toHaveLength(0)
      expect(await search('final').session(session)).toHaveLength(1)
      expect(await search('drafts')).toHaveLength(1)
    })
    expect(await search('drafts')).toHaveLength(0)
    expect(await search('finals')).toHaveLength(1)
    await post.deleteOne()
    expect(await search('final')).toHaveLength(0)
  })
})
