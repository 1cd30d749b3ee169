import { type Model, Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()

interface Spot {
  name: string
  at?: unknown
}
type Spots = Model<Spot>
type Position = [number, number]

const point = (...coordinates: Position) => ({ type: 'Point' as const, coordinates })
const square = (west: number, south: number, size: number) => ({
  type: 'Polygon' as const,
  coordinates: [
    [
      [west, south],
      [west + size, south],
      [west + size, south + size],
      [west, south + size],
      [west, south],
    ],
  ] as Position[][],
})

// What the path `at` of a model holds, and its index.
const kinds = {
  'pairs, 2d': { at: { type: [Number], index: '2d' } },
  'pairs, 2dsphere': { at: { type: [Number], index: '2dsphere' } },
  'pairs, no index': { at: [Number] },
  geometries: { at: { type: { type: String }, coordinates: [] } },
  'lists of geometries': { at: [{ type: { type: String }, coordinates: [] }] },
}
type Kind = keyof typeof kinds

async function createSpots(kind: Kind, spots: Record<string, unknown>): Promise<Spots> {
  const schema = new Schema<Spot>({ name: String, ...kinds[kind] })
  if (kind === 'geometries') schema.index({ at: '2dsphere' })
  const Spots = connection.model<Spot>('Spot', schema)
  await Spots.init()
  await Spots.create(Object.entries(spots).map(([name, at]) => ({ name, at })))
  return Spots
}

const names = (spots: { name: string }[]) => spots.map(({ name }) => name)
const pairs = { near: [25, 30], far: [20, 80], south: [-40, -60] }
const points = { near: point(10, 20), far: point(40, 60), west: point(-179, 0) }
const acrossTheDateLine = {
  type: 'LineString',
  coordinates: [
    [-178, 10],
    [178, 10],
  ],
}
const meridian = {
  type: 'LineString',
  coordinates: [
    [180, 11],
    [180, '9.00'],
  ],
}
const textSquare = {
  type: 'Polygon',
  coordinates: [
    [
      ['20', '25'],
      [30, 25],
      [30, 35],
      ['20', 35],
      [20, '25'],
    ],
  ],
}

describe('geo queries find', () => {
  it.each<[string, Kind, object, (spots: Spots) => PromiseLike<Spot[]>, string[]]>([
    [
      '$near a pair, in order',
      'pairs, 2d',
      pairs,
      (spots) => spots.find({ at: { $near: [20, 70] } }),
      ['far', 'near', 'south'],
    ],
    [
      '$near a pair within degrees',
      'pairs, 2d',
      pairs,
      (spots) => spots.find({ at: { $near: [25, 31], $maxDistance: 1 } }),
      ['near'],
    ],
    [
      'nothing $near a pair beyond its degrees',
      'pairs, 2d',
      pairs,
      (spots) => spots.find({ at: { $near: [25, 32], $maxDistance: 1 } }),
      [],
    ],
    [
      '$nearSphere a pair with a 2d index',
      'pairs, 2d',
      pairs,
      (spots) => spots.find({ at: { $nearSphere: [25, 31] } }),
      ['near', 'far', 'south'],
    ],
    [
      'where().near() with a distance in degrees',
      'pairs, 2d',
      pairs,
      (spots) => spots.where('at').near({ center: [25, 31], maxDistance: 2 }),
      ['near'],
    ],
    [
      'where().near().maxDistance()',
      'pairs, 2d',
      pairs,
      (spots) => spots.find().where('at').near([25, 31]).maxDistance(2),
      ['near'],
    ],
    [
      'a $box of the old $within',
      'pairs, 2d',
      pairs,
      (spots) =>
        spots.find({
          at: {
            $within: {
              $box: [
                [20, 20],
                [30, 40],
              ],
            },
          },
        }),
      ['near'],
    ],
    [
      'within().circle()',
      'pairs, 2d',
      pairs,
      (spots) =>
        spots
          .where('at')
          .within()
          .circle({ center: [24, 30], radius: 2 }),
      ['near'],
    ],
    [
      'within().circle() on a sphere',
      'pairs, 2dsphere',
      pairs,
      (spots) =>
        spots
          .where('at')
          .within()
          .circle({ center: [24, 30], radius: 0.1, spherical: true }),
      ['near'],
    ],
    [
      'within().polygon()',
      'pairs, no index',
      pairs,
      (spots) => spots.where('at').within().polygon([20, 20], [30, 20], [30, 40], [20, 40]),
      ['near'],
    ],
    [
      'a $geometry of numbers in strings',
      'pairs, 2dsphere',
      pairs,
      (spots) => spots.find({ at: { $within: { $geometry: textSquare } } }),
      ['near'],
    ],
    [
      'within().geometry()',
      'pairs, 2dsphere',
      pairs,
      (spots) => spots.where('at').within().geometry(textSquare),
      ['near'],
    ],
    [
      'within(geometry) without an index',
      'pairs, no index',
      pairs,
      (spots) =>
        spots
          .find()
          .where('at')
          .within(square(20, 25, 10)),
      ['near'],
    ],
    [
      'a line across the date line',
      'geometries',
      { line: acrossTheDateLine, ...points },
      (spots) => spots.find({ at: { $geoIntersects: { $geometry: meridian } } }),
      ['line'],
    ],
    [
      'intersects().geometry()',
      'geometries',
      { line: acrossTheDateLine, ...points },
      (spots) => spots.where('at').intersects().geometry(meridian).find(),
      ['line'],
    ],
    [
      'one of several lines in a list',
      'lists of geometries',
      { lines: [{ ...acrossTheDateLine }, point(0, 0)], others: [point(1, 1)] },
      (spots) => spots.find({ at: { $geoIntersects: { $geometry: meridian } } }),
      ['lines'],
    ],
    [
      'one of several polygons in a list',
      'lists of geometries',
      { polygons: [square(28, 40, 1), square(-1, -1, 2)], others: [square(100, 0, 1)] },
      (spots) =>
        spots
          .where('at')
          .intersects()
          .geometry(square(27, 39, 3))
          .find(),
      ['polygons'],
    ],
    [
      '$near a bare point',
      'geometries',
      points,
      (spots) => spots.find({ at: { $near: point(-179, 0) } }).limit(1),
      ['west'],
    ],
    [
      '$near a $geometry within meters',
      'geometries',
      points,
      (spots) => spots.find({ at: { $near: { $geometry: point(-179, 0), $maxDistance: 50 } } }),
      ['west'],
    ],
    [
      '$nearSphere a $geometry between two distances',
      'geometries',
      points,
      (spots) =>
        spots.find({
          at: {
            $nearSphere: { $geometry: point(10, 20), $minDistance: 1, $maxDistance: 6_000_000 },
          },
        }),
      ['far'],
    ],
    [
      'near() a point within meters',
      'geometries',
      points,
      (spots) => spots.where('at').near({ center: point(11, 20), maxDistance: 1_000_000 }),
      ['near'],
    ],
    [
      'near() a point among pairs',
      'pairs, 2dsphere',
      pairs,
      (spots) => spots.where('at').near({ center: point(25, 30), maxDistance: 10 }),
      ['near'],
    ],
  ])('%s', async (_name, kind, spots, find, expected) => {
    const Spots = await createSpots(kind, spots as Record<string, unknown>)
    expect(names(await find(Spots))).toEqual(expected)
  })

  it('points within the geometry of another document', async () => {
    const Spots = await createSpots('geometries', points)
    const Area = connection.model<{ place: ReturnType<typeof square> }>(
      'Area',
      new Schema({
        place: {
          type: { type: String, enum: ['Polygon'], default: 'Polygon' },
          coordinates: [[[Number]]],
        },
      }),
    )
    const { place } = await Area.create({ place: square(5, 15, 10) })
    const found = await Spots.find().where('at').within().geometry(place)
    expect(names(found)).toEqual(['near'])
  })

  it('pairs without a type under an index of coordinates', async () => {
    const schema = new Schema<Spot>({
      name: String,
      at: { type: { type: String }, coordinates: { type: [Number], index: '2dsphere' } },
    })
    const Spots = connection.model<Spot>('Spot', schema)
    await Spots.init()
    await Spots.create({ name: 'a', at: { coordinates: [30, 41] } })
    const near = { $geometry: point(30, 40), $maxDistance: 1_000_000 }
    expect(names(await Spots.find({ 'at.coordinates': { $nearSphere: near } }))).toEqual(['a'])
  })

  it('the nearest of a list of places, for an update', async () => {
    const schema = new Schema({
      name: String,
      photos: [
        { at: { type: { type: String }, coordinates: { type: [Number], default: undefined } } },
      ],
    }).index({ 'photos.at': '2dsphere' })
    const Story = connection.model('Story', schema)
    await Story.init()
    const near = (...position: Position) => ({
      'photos.at': { $near: { $geometry: point(...position), $maxDistance: 500_000 } },
    })
    await Story.updateOne(near(10, 20), { name: 'new' }, { upsert: true })
    expect(await Story.find().select('-_id name photos').lean()).toEqual([
      { name: 'new', photos: [] },
    ])
    await Story.create([
      { name: 'a', photos: [{ at: point(13, 20) }, { at: point(40, 40) }] },
      { name: 'b', photos: [{ at: point(11, 20) }, {}] },
    ])
    await Story.updateOne(near(10, 20), { name: 'near' }, { upsert: true })
    await Story.findOneAndUpdate(near(39, 40), { name: 'far' })
    expect((await Story.distinct('name')).toSorted()).toEqual(['far', 'near', 'new'])
    await Story.deleteOne(near(10, 20))
    expect((await Story.distinct('name')).toSorted()).toEqual(['far', 'new'])
  })

  it('a circle and a line that documents hold', async () => {
    const Spots = await createSpots('geometries', { ...points, line: acrossTheDateLine })
    const Area = connection.model('Area', new Schema({ circle: Array, line: [[Number]] }))
    const area = await Area.create({ circle: [[10, 21], 0.1], line: meridian.coordinates })
    const { circle, line } = await Area.findById(area).orFail()
    const within = Spots.find({ at: { $geoWithin: { $centerSphere: circle } } } as object)
    expect(names(await within)).toEqual(['near'])
    const crossing = { $geometry: { type: 'LineString', coordinates: line } }
    expect(names(await Spots.find({ at: { $geoIntersects: crossing } }))).toEqual(['line'])
  })

  it('nothing in an empty collection', async () => {
    const Spots = await createSpots('geometries', {})
    expect(await Spots.find({ at: { $geoWithin: { $geometry: square(0, 0, 5) } } })).toEqual([])
    expect(await Spots.find({ at: { $near: point(0, 0) } })).toEqual([])
  })

  it('documents of one discriminator in $geoNear', async () => {
    const Spots = await createSpots('geometries', points)
    const Shop = Spots.discriminator('Shop', new Schema({ owner: String }))
    await Shop.create({ name: 'shop', at: point(11, 20) })
    const stage = { near: point(10, 20), distanceField: 'distance', spherical: true as const }
    expect(names(await Shop.aggregate<Spot>().near(stage))).toEqual(['shop'])
    expect(names(await Shop.aggregate<Spot>().near({ ...stage, query: { name: 'x' } }))).toEqual([])
  })
})

describe('coordinates without a type', () => {
  interface Held {
    name: string
  }
  const pairSchema = new Schema({ name: String, at: { type: [Number], index: '2d' } })
  const objectSchema = new Schema({ name: String, at: { long: Number, lat: Number } })
  const nestedSchema = new Schema({ name: String, at: { in: { long: Number, lat: Number } } })
  const asObject = ([long, lat]: Position) => ({ long, lat })
  const forms: [string, Schema, string, (pair: Position) => unknown][] = [
    ['lists', pairSchema as Schema, 'at', (pair) => pair],
    ['objects', objectSchema.index({ at: '2d' }) as Schema, 'at', asObject],
    [
      'nested objects',
      nestedSchema.index({ 'at.in': '2d' }) as Schema,
      'at.in',
      (pair) => ({ in: asObject(pair) }),
    ],
  ]

  it.each(forms)(
    'held as %s are found by numbers in strings',
    async (_name, schema, path, toAt) => {
      const Holder = connection.model<Held>('Holder', schema as Schema<Held>)
      await Holder.init()
      await Holder.create([
        { name: 'a', at: toAt([10, 20]) },
        { name: 'b', at: toAt([40, 85]) },
      ] as object[])
      const square10 = [
        ['8', '18'],
        ['8', '22'],
        ['12', '22'],
        ['12', '18'],
      ]
      const conditions: [object, string[]][] = [
        [{ $near: ['30', '40'] }, ['a', 'b']],
        [{ $near: ['30', '40'], $maxDistance: '45' }, ['a']],
        [{ $near: ['30', '40'], $maxDistance: 47 }, ['a', 'b']],
        [{ $nearSphere: ['30', '40'] }, ['a', 'b']],
        [{ $nearSphere: ['30', '40'], $maxDistance: 0.5 }, ['a']],
        [{ $within: { $centerSphere: [['11', '20'], '0.4'] } }, ['a']],
        [{ $within: { $center: [['11', '20'], '1'] } }, ['a']],
        [{ $within: { $polygon: square10 } }, ['a']],
        [{ $within: { $box: [square10[0], square10[2]] } }, ['a']],
        [
          {
            $geoWithin: {
              $box: [
                ['0', '0'],
                ['50', '90'],
              ],
            },
          },
          ['a', 'b'],
        ],
      ]
      for (const [condition, expected] of conditions) {
        const found = await Holder.find({ [path]: condition })
        expect([condition, names(found).toSorted()]).toEqual([condition, expected])
      }
    },
  )

  it('give the middle of a ring in radians', async () => {
    const Spots = await createSpots('geometries', points)
    const radians = (meters: number) => String(meters / 6_378_100)
    const ring = { minDistance: radians(1000), maxDistance: radians(6_000_000) }
    const found = await Spots.find().near('at', {
      center: [10, 20],
      ...ring,
      spherical: true,
    } as never)
    expect(names(found)).toEqual(['far'])
  })
})

describe('geo indexes accept', () => {
  const located = (at: object, options: object = {}) =>
    new Schema<Spot>({ name: String, at }, options)
  const pair = (index: string, more: object = {}) => ({ type: [Number], index, ...more })
  const nested = located({ tag: String, pair: [Number] }).index({ 'at.pair': '2dsphere' })
  const geojson = located({
    type: { type: String, enum: ['Point'] },
    coordinates: { type: [Number], default: undefined },
  }).index({ at: '2dsphere' })
  const subdocument = located(new Schema({ geo: pair('2dsphere') }, { _id: false }))

  it.each<[string, Schema<Spot>, object, object, unknown]>([
    ['a pair (2dsphere)', located(pair('2dsphere')), { at: [0.3, 51.4] }, {}, [0.3, 51.4]],
    ['no pair (2dsphere)', located(pair('2dsphere')), {}, {}, undefined],
    ['no pair (2d)', located(pair('2d')), {}, {}, undefined],
    ['a default', located(pair('2dsphere', { default: [0, 1] })), {}, {}, [0, 1]],
    ['no nested pair', nested, { at: { tag: 'x' } }, {}, { tag: 'x' }],
    ['no GeoJSON', geojson, {}, {}, undefined],
    ['a pair set later', located(pair('2dsphere')), {}, { at: [0.3, 51.4] }, [0.3, 51.4]],
    ['a subdocument set later', subdocument, {}, { at: { geo: [-120, 39] } }, { geo: [-120, 39] }],
  ])('%s', async (_name, schema, input, update, expected) => {
    const Spots = connection.model<Spot>('Spot', schema)
    await Spots.init()
    const { _id } = await Spots.create({ name: 'a', ...input })
    await Spots.updateOne({ _id }, { name: 'b', ...update })
    expect(await Spots.findById(_id).lean()).toMatchObject({ name: 'b' })
    expect((await Spots.findById(_id).lean())?.at).toEqual(expected)
    expect(await Spots.syncIndexes()).toEqual([])
  })
})
