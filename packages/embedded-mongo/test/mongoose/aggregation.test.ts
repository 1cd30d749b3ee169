// oxlint-disable unicorn/no-thenable -- $switch names its results so
import { Schema, Types } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()

async function orders() {
  const Order = connection.model(
    'Order',
    new Schema({
      item: String,
      price: Number,
      qty: Number,
      at: Date,
      tags: [String],
      customer: Schema.Types.ObjectId,
    }),
  )
  const customer = new Types.ObjectId()
  await Order.insertMany([
    { item: 'pen', price: 2, qty: 10, at: new Date('2024-01-10'), tags: ['blue', 'ink'], customer },
    { item: 'pen', price: 3, qty: 5, at: new Date('2024-02-10'), tags: ['red'] },
    { item: 'cup', price: 8, qty: 2, at: new Date('2024-02-20'), tags: [], customer },
  ])
  return { Order, customer }
}

type Orders = Awaited<ReturnType<typeof orders>>['Order']
const rows: [string, (Order: Orders) => PromiseLike<unknown[]>, unknown[]][] = [
  [
    'match and group',
    (O) =>
      O.aggregate()
        .match({ item: 'pen' })
        .group({ _id: '$item', n: { $sum: '$qty' } }),
    [{ _id: 'pen', n: 15 }],
  ],
  [
    'sort, skip, limit, project',
    (O) => O.aggregate().sort('-price').skip(1).limit(1).project({ _id: 0, item: 1 }),
    [{ item: 'pen' }],
  ],
  [
    'computed fields',
    (O) =>
      O.aggregate()
        .sort('price')
        .project({ _id: 0, total: { $multiply: ['$price', '$qty'] } }),
    [{ total: 20 }, { total: 15 }, { total: 16 }],
  ],
  [
    'addFields',
    (O) =>
      O.aggregate()
        .match({ item: 'cup' })
        .addFields({ dear: { $gte: ['$price', 5] } })
        .project('-_id dear'),
    [{ dear: true }],
  ],
  [
    'unwind and sortByCount',
    (O) => O.aggregate().unwind('tags').sortByCount('item').match({ count: 3 }),
    [{ _id: 'pen', count: 3 }],
  ],
  [
    'count',
    (O) =>
      O.aggregate()
        .match({ price: { $gt: 2 } })
        .count('n'),
    [{ n: 2 }],
  ],
  [
    'facet',
    (O) =>
      O.aggregate().facet({
        n: [{ $count: 'n' }],
        max: [{ $group: { _id: null, m: { $max: '$price' } } }],
      }),
    [{ n: [{ n: 3 }], max: [{ _id: null, m: 8 }] }],
  ],
  [
    'replaceRoot',
    (O) => O.aggregate().match({ item: 'cup' }).replaceRoot({ name: '$item' }),
    [{ name: 'cup' }],
  ],
  [
    'dates by month',
    (O) =>
      O.aggregate()
        .group({ _id: { $month: '$at' }, n: { $sum: 1 } })
        .sort('_id'),
    [
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ],
  ],
  [
    'dateToString',
    (O) =>
      O.aggregate()
        .match({ item: 'cup' })
        .project({ _id: 0, day: { $dateToString: { date: '$at', format: '%d.%m.%Y' } } }),
    [{ day: '20.02.2024' }],
  ],
  [
    'average, minimum and maximum',
    (O) =>
      O.aggregate().group({
        _id: null,
        avg: { $avg: '$price' },
        min: { $min: '$price' },
        max: { $max: '$price' },
      }),
    [{ _id: null, avg: 13 / 3, min: 2, max: 8 }],
  ],
  [
    'push and first',
    (O) =>
      O.aggregate()
        .sort('price')
        .group({ _id: '$item', prices: { $push: '$price' }, first: { $first: '$qty' } })
        .sort('_id'),
    [
      { _id: 'cup', prices: [8], first: 2 },
      { _id: 'pen', prices: [2, 3], first: 10 },
    ],
  ],
  [
    'cond and switch',
    (O) =>
      O.aggregate()
        .sort('price')
        .project({
          _id: 0,
          c: {
            $switch: { branches: [{ case: { $lt: ['$price', 3] }, then: 'low' }], default: 'high' },
          },
        }),
    [{ c: 'low' }, { c: 'high' }, { c: 'high' }],
  ],
  [
    'bucket',
    (O) => O.aggregate([{ $bucket: { groupBy: '$price', boundaries: [0, 5, 10] } }]),
    [
      { _id: 0, count: 2 },
      { _id: 5, count: 1 },
    ],
  ],
  [
    'array expressions',
    (O) =>
      O.aggregate()
        .match({ price: 2 })
        .project({
          _id: 0,
          n: { $size: '$tags' },
          first: { $first: '$tags' },
          up: { $map: { input: '$tags', in: { $toUpper: '$$this' } } },
        }),
    [{ n: 2, first: 'blue', up: ['BLUE', 'INK'] }],
  ],
]

describe('mongoose aggregation', () => {
  it.each(rows)('runs %s', async (_name, run, wanted) => {
    const { Order } = await orders()
    expect(await run(Order)).toEqual(wanted)
  })

  it('joins with lookup', async () => {
    const { Order, customer } = await orders()
    const Customer = connection.model('Customer', new Schema({ name: String }))
    await Customer.create({ _id: customer, name: 'Ann' })
    const joined = await Order.aggregate<{ item: string; who: { name: string }[] }>()
      .sort('price')
      .lookup({ from: 'customers', localField: 'customer', foreignField: '_id', as: 'who' })
    expect(joined.map(({ who }) => who.map(({ name }) => name))).toEqual([['Ann'], [], ['Ann']])
  })

  it('joins through an index and by pipeline', async () => {
    const { Order, customer } = await orders()
    const Customer = connection.model(
      'Client',
      new Schema({ key: { type: Schema.Types.ObjectId, index: true }, name: String }),
    )
    await Customer.init()
    await Customer.create([
      { key: customer, name: 'Ann' },
      { key: customer, name: 'Anna' },
    ])
    const joined = await Order.aggregate<{ who: unknown[] }>()
      .match({ item: 'cup' })
      .lookup({
        from: 'clients',
        localField: 'customer',
        foreignField: 'key',
        pipeline: [{ $sort: { name: -1 } }, { $limit: 1 }, { $project: { _id: 0, name: 1 } }],
        as: 'who',
      })
    expect(joined[0]?.who).toEqual([{ name: 'Anna' }])
  })

  it('reads with a cursor', async () => {
    const { Order } = await orders()
    const items: string[] = []
    for await (const { item } of Order.aggregate<{ item: string }>()
      .sort('item')
      .cursor({ batchSize: 1 }))
      items.push(item)
    expect(items).toEqual(['cup', 'pen', 'pen'])
  })

  it('does not cast: ids in $match are ids', async () => {
    const { Order, customer } = await orders()
    expect(await Order.aggregate([{ $match: { customer: String(customer) } }])).toEqual([])
    expect(await Order.aggregate([{ $match: { customer } }])).toHaveLength(2)
  })

  it('writes with $out and $merge', async () => {
    const { Order } = await orders()
    await Order.aggregate([{ $group: { _id: '$item', n: { $sum: '$qty' } } }, { $out: 'totals' }])
    await Order.aggregate([
      { $match: { item: 'cup' } },
      { $group: { _id: '$item', seen: { $sum: 1 } } },
      { $merge: { into: 'totals' } },
    ])
    const totals = await connection.collection('totals').find().sort({ _id: 1 }).toArray()
    expect(totals).toEqual([
      { _id: 'cup', n: 2, seen: 1 },
      { _id: 'pen', n: 15 },
    ])
  })

  it("rejects what it does not know with the database's codes", async () => {
    const { Order } = await orders()
    await expect(Order.collection.aggregate([{ $foo: 1 }]).toArray()).rejects.toMatchObject({
      code: 40324,
    })
    await expect(
      Order.collection.aggregate([{ $project: { a: { $foo: 1 } } }]).toArray(),
    ).rejects.toMatchObject({
      code: 168,
    })
  })
})
