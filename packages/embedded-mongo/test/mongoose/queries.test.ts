// oxlint-disable no-underscore-dangle -- MongoDB's own name for the key
import { Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()

async function people() {
  const Person = connection.model(
    'Person',
    new Schema({ name: String, age: Number, tags: [String], at: Date, address: { city: String } }),
  )
  await Person.insertMany([
    { name: 'Ann', age: 30, tags: ['x', 'y'], at: new Date(1000), address: { city: 'Rome' } },
    { name: 'Bob', age: 20, tags: ['y'], at: new Date(2000), address: { city: 'Oslo' } },
    { name: 'Cy', age: 40, tags: [], at: new Date(3000) },
    { name: 'Dee', tags: ['z'] },
  ])
  return Person
}

type People = Awaited<ReturnType<typeof people>>
const rows: [
  string,
  (Person: People) => Promise<{ name?: string | null | undefined }[]>,
  string[],
][] = [
  ['equality', (P) => P.find({ name: 'Bob' }), ['Bob']],
  ['$gt', (P) => P.find({ age: { $gt: 20 } }), ['Ann', 'Cy']],
  ['where().gte().lt()', (P) => P.find().where('age').gte(20).lt(40).exec(), ['Ann', 'Bob']],
  ['$in', (P) => P.find({ name: { $in: ['Ann', 'Dee'] } }), ['Ann', 'Dee']],
  ['where().in()', (P) => P.find().where('tags').in(['x', 'z']).exec(), ['Ann', 'Dee']],
  ['nin()', (P) => P.find().where('tags').nin(['y']).exec(), ['Cy', 'Dee']],
  ['$ne', (P) => P.find({ age: { $ne: 20 } }), ['Ann', 'Cy', 'Dee']],
  ['exists()', (P) => P.find().where('age').exists(false).exec(), ['Dee']],
  ['null matches missing', (P) => P.find({ age: null }), ['Dee']],
  [
    'or()',
    (P) =>
      P.find()
        .or([{ age: 20 }, { name: 'Cy' }])
        .exec(),
    ['Bob', 'Cy'],
  ],
  [
    'and()',
    (P) =>
      P.find()
        .and([{ age: { $gt: 20 } }, { tags: 'x' }])
        .exec(),
    ['Ann'],
  ],
  [
    'nor()',
    (P) =>
      P.find()
        .nor([{ age: 20 }, { name: 'Cy' }])
        .exec(),
    ['Ann', 'Dee'],
  ],
  ['regex()', (P) => P.find({ name: /^[AB]/ }), ['Ann', 'Bob']],
  ['regex with flags', (P) => P.find({ name: /^cy$/i }), ['Cy']],
  ['all()', (P) => P.find().where('tags').all(['x', 'y']).exec(), ['Ann']],
  ['size()', (P) => P.find().where('tags').size(1).exec(), ['Bob', 'Dee']],
  ['mod()', (P) => P.find().where('age').mod([20, 0]).exec(), ['Bob', 'Cy']],
  ['nested path', (P) => P.find({ 'address.city': 'Oslo' }), ['Bob']],
  ['dates', (P) => P.find({ at: { $lt: new Date(2500) } }), ['Ann', 'Bob']],
  ['text cast to a number', (P) => P.find().where('age', '30').exec(), ['Ann']],
  ['sort descending', (P) => P.find().sort({ age: -1 }).exec(), ['Cy', 'Ann', 'Bob', 'Dee']],
  ['sort by text', (P) => P.find().sort('-name').exec(), ['Dee', 'Cy', 'Bob', 'Ann']],
  ['sort, skip and limit', (P) => P.find().sort('name').skip(1).limit(2).exec(), ['Bob', 'Cy']],
  [
    'collation',
    (P) => P.find({ name: 'ann' }).collation({ locale: 'en', strength: 2 }).exec(),
    ['Ann'],
  ],
  ['$expr', (P) => P.find({ $expr: { $eq: [{ $size: '$tags' }, 2] } }), ['Ann']],
  ['elemMatch()', (P) => P.find().where('tags').elemMatch({ $eq: 'z' }).exec(), ['Dee']],
  [
    'comment() and maxTimeMS()',
    (P) => P.find({ name: 'Cy' }).comment('why').maxTimeMS(1000).exec(),
    ['Cy'],
  ],
  ['hint()', (P) => P.find({ name: 'Cy' }).hint({ _id: 1 }).exec(), ['Cy']],
  ['$not', (P) => P.find({ age: { $not: { $gte: 30 } } }), ['Bob', 'Dee']],
  ['$type', (P) => P.find({ age: { $type: 'int' } }), ['Ann', 'Bob', 'Cy']],
]

describe('mongoose queries', () => {
  it.each(rows)('finds by %s', async (_name, find, names) => {
    const found = await find(await people())
    expect(found.map(({ name }) => name)).toEqual(names)
  })

  it('finds one, by id, or fails on demand', async () => {
    const Person = await people()
    const one = await Person.findOne({ age: { $gte: 30 } })
      .sort('age')
      .orFail()
    expect(one.name).toBe('Ann')
    expect((await Person.findById(one._id))?.name).toBe('Ann')
    await expect(Person.findOne({ name: 'Zed' }).orFail()).rejects.toMatchObject({
      name: 'DocumentNotFoundError',
    })
  })

  it('selects fields in and out', async () => {
    const Person = await people()
    expect(await Person.findOne({ name: 'Ann' }).select('name -_id').lean()).toEqual({
      name: 'Ann',
    })
    expect(
      await Person.findOne({ name: 'Ann' })
        .select({ tags: { $slice: 1 }, name: 1, _id: 0 })
        .lean(),
    ).toEqual({ name: 'Ann', tags: ['x'] })
    expect(
      await Person.findOne({ name: 'Ann' }).select('-tags -at -address -__v -_id').lean(),
    ).toEqual({ name: 'Ann', age: 30 })
  })

  it('counts and lists distinct values', async () => {
    const Person = await people()
    expect(await Person.find({ tags: 'y' }).countDocuments()).toBe(2)
    expect((await Person.distinct('tags')).toSorted()).toEqual(['x', 'y', 'z'])
    expect(await Person.countDocuments({}).limit(2)).toBe(2)
  })

  it('reads lean documents as plain objects', async () => {
    const Person = await people()
    const lean = await Person.findOne({ name: 'Ann' }).lean().orFail()
    expect(Object.getPrototypeOf(lean)).toBe(Object.prototype)
  })

  it('runs a query once', async () => {
    const Person = await people()
    const query = Person.find({ name: 'Ann' })
    await query
    await expect(query).rejects.toThrow('Query was already executed')
    expect(await query.clone()).toHaveLength(1)
  })

  it('explains which index served', async () => {
    const Model = connection.model('Explained', new Schema({ n: { type: Number, index: true } }))
    await Model.init()
    await Model.create([{ n: 1 }, { n: 2 }])
    const plan = await Model.find({ n: 1 }).explain('queryPlanner')
    expect(JSON.stringify(plan)).toContain('n_1')
  })

  it('rejects operators in user input with sanitizeFilter', async () => {
    const Person = await people()
    const outside = JSON.parse('{ "$gt": 0 }') as number
    await expect(
      Person.find({ age: outside }).setOptions({ sanitizeFilter: true }),
    ).rejects.toMatchObject({ name: 'CastError' })
  })

  it("passes on the database's own errors", async () => {
    const Person = await people()
    await expect(Person.collection.find({ a: { $foo: 1 } }).toArray()).rejects.toMatchObject({
      code: 2,
      message: expect.stringContaining('unknown operator: $foo'),
    })
    await expect(Person.collection.find({ $where: 'true' }).toArray()).rejects.toMatchObject({
      message: expect.stringContaining('$where'),
    })
  })
})
