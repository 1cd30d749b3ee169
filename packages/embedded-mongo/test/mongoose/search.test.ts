import { type Model, Schema } from 'mongoose'
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

describe('a text query', () => {
  const one = new Schema({ name: { type: String, text: true }, tag: String })
  const post = new Schema({ name: String, tag: String }).index({ name: 'text' })
  const score = { $meta: 'textScore' } as const
  const things = [
    { name: '1234 ABCD', tag: 'number' },
    { name: 'searching a database', tag: 'once' },
    { name: 'text search in a database', tag: 'twice' },
  ]
  type Things = Model<{ name: string; tag: string }>

  it.each<[string, Schema, (things: Things) => PromiseLike<{ tag: string }[]>, string[]]>([
    [
      'uses an index of the path',
      one as Schema,
      (found) => found.find({ $text: { $search: 'searches' } }).sort('tag'),
      ['once', 'twice'],
    ],
    [
      'takes a number as its words',
      one as Schema,
      (found) => found.find({ $text: { $search: 1234 as never } }),
      ['number'],
    ],
    [
      'takes text as a boolean',
      one as Schema,
      (found) => found.find({ $text: { $search: 'abcd', $caseSensitive: 'no' as never } }),
      ['number'],
    ],
    [
      'respects case on request',
      one as Schema,
      (found) => found.find({ $text: { $search: 'abcd', $caseSensitive: true } }),
      [],
    ],
    [
      'sorts by a score that is selected',
      post as Schema,
      (found) =>
        found
          .find({ $text: { $search: 'text search' } }, { score })
          .sort({ score: { $meta: 'textScore' } }),
      ['twice', 'once'],
    ],
    [
      'sorts by a score that is not selected',
      post as Schema,
      (found) =>
        found
          .find({ $text: { $search: 'text search' } })
          .sort({ score: { $meta: 'textScore' } })
          .limit(1),
      ['twice'],
    ],
    [
      'sorts an aggregation by score',
      post as Schema,
      (found) =>
        found
          .aggregate<{ tag: string }>()
          .match({ $text: { $search: 'text search' } })
          .sort({ score: { $meta: 'textScore' } }),
      ['twice', 'once'],
    ],
  ])('%s', async (_name, schema, find, expected) => {
    const Things = connection.model('Thing', schema) as unknown as Things
    await Things.init()
    await Things.create(things)
    expect((await find(Things)).map(({ tag }) => tag)).toEqual(expected)
    expect(await Things.syncIndexes()).toEqual([])
  })

  it('without an index is an error', async () => {
    const Things = connection.model('Thing', new Schema({ name: String }))
    await Things.create({ name: 'x' })
    await expect(Things.find({ $text: { $search: 'x' } })).rejects.toMatchObject({ code: 27 })
  })
})

describe('places', () => {
  interface Place {
    name: string
    location?: { type: string; coordinates: number[] }
  }

  async function createPlaces() {
    const schema = new Schema<Place>({
      name: String,
      location: { type: { type: String, enum: ['Point'] }, coordinates: [Number] },
    })
    schema.index({ location: '2dsphere' })
    const Place = connection.model('Place', schema)
    await Place.init()
    const at = (name: string, ...coordinates: number[]): Place => ({
      name,
      location: { type: 'Point', coordinates },
    })
    await Place.create(
      at('Paris', 2.3522, 48.8566),
      at('London', -0.1276, 51.5072),
      at('Berlin', 13.405, 52.52),
      at('Sydney', 151.2093, -33.8688),
    )
    return Place
  }

  it('are found by distance, within areas and on lines', async () => {
    const Place = await createPlaces()
    const paris = [2.3522, 48.8566] as [number, number]
    const names = (places: Place[]) => places.map(({ name }) => name)
    const near = await Place.find().near('location', {
      center: { type: 'Point', coordinates: paris },
      maxDistance: 1_000_000,
      spherical: true,
    })
    expect(names(near)).toEqual(['Paris', 'London', 'Berlin'])
    const inside = await Place.find({
      location: { $geoWithin: { $centerSphere: [paris, 400 / 6378.1] } },
    }).sort('name')
    expect(names(inside)).toEqual(['London', 'Paris'])
    const box = await Place.find().where('location').within().box([-5, 50], [15, 55]).sort('name')
    expect(names(box)).toEqual(['Berlin', 'London'])
    const area = {
      type: 'Polygon' as const,
      coordinates: [
        [
          [100, -50],
          [160, -50],
          [160, -10],
          [100, -10],
          [100, -50],
        ],
      ],
    }
    const touching = await Place.find().where('location').intersects().geometry(area)
    expect(names(touching)).toEqual(['Sydney'])
    expect(await Place.syncIndexes()).toEqual([])
  })

  it('have distances in meters in an aggregation', async () => {
    const Place = await createPlaces()
    const found = await Place.aggregate<{ name: string; distance: number }>()
      .near({
        near: { type: 'Point', coordinates: [2.3522, 48.8566] },
        distanceField: 'distance',
        query: { name: { $ne: 'Paris' } },
      })
      .project({ _id: 0, name: 1, distance: { $round: ['$distance', -3] } })
    expect(found).toEqual([
      { name: 'London', distance: 344_000 },
      { name: 'Berlin', distance: 878_000 },
      { name: 'Sydney', distance: 16_979_000 },
    ])
  })

  it('that no index can hold are refused', async () => {
    const Place = await createPlaces()
    const create = Place.create({ name: 'x', location: { type: 'Point', coordinates: [200, 0] } })
    await expect(create).rejects.toMatchObject({ code: 16755 })
  })
})
