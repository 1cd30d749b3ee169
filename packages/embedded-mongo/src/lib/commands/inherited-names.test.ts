import { type Document } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { freshDatabase } from '../../../test/fresh-server.ts'

// Names that every JavaScript object inherits.
const names = ['constructor', 'hasOwnProperty', 'toString', 'valueOf', '__proto__']

type Doc = Record<string, unknown>
type Item = Document & { _id: number }

const query = (filter: Doc): Doc => ({ find: 'items', filter })
const pipeline = (...stages: Doc[]): Doc => ({ aggregate: 'items', pipeline: stages, cursor: {} })
const expression = (value: unknown): Doc => pipeline({ $project: { value } })
const update = (u: Doc, rest: Doc = {}): Doc => ({
  update: 'items',
  updates: [{ q: {}, u, ...rest }],
})
const index = (rest: Doc, key: Doc = { a: 1 }): Doc => ({
  createIndexes: 'items',
  indexes: [{ key, name: 'a_1', ...rest }],
})
const schema = ($jsonSchema: Doc): Doc => query({ $jsonSchema })
const date = new Date(0)

// What the name is the name of, the code of MongoDB's error, and a command.
const rejected: [string, number, (name: string) => Doc][] = [
  ['a command', 59, (name) => ({ [name]: 'items' })],
  ['a command to explain', 59, (name) => ({ explain: { [name]: 'items' } })],
  ['an option of a command', 40415, (name) => ({ find: 'items', [name]: 1 })],
  ['an option of create', 40415, (name) => ({ create: 'others', [name]: 1 })],
  ['an option of an update', 40415, (name) => update({ $set: { a: 1 } }, { [name]: 1 })],
  ['a verbosity', 2, (name) => ({ explain: { find: 'items' }, verbosity: name })],
  ['a read concern', 2, (name) => ({ find: 'items', readConcern: { level: name } })],
  ['a hint', 2, (name) => ({ find: 'items', hint: name })],
  ['a validation level', 2, (name) => ({ create: 'others', validationLevel: name })],
  ['an option of collMod', 40415, (name) => ({ collMod: 'items', index: { [name]: 1 } })],
  ['an operation of bulkWrite', 9, (name) => bulkWrite({ [name]: 0 })],
  ['a parameter to get', 72, (name) => ({ getParameter: 1, [name]: 1 })],
  ['a parameter to set', 72, (name) => ({ setParameter: 1, [name]: 1 })],
  ['a fail point', 96, (name) => ({ configureFailPoint: name, mode: 'alwaysOn' })],
  ['a log', 96, (name) => ({ getLog: name })],
  ['a stage', 40324, (name) => pipeline({ [name]: {} })],
  ['an option of a stage', 9, (name) => pipeline({ $lookup: { as: 'a', [name]: 1 } })],
  ['an option of $changeStream', 40415, (name) => pipeline({ $changeStream: { [name]: 1 } })],
  ['an option of $collStats', 40415, (name) => pipeline({ $collStats: { [name]: {} } })],
  ['a full document', 2, (name) => pipeline({ $changeStream: { fullDocument: name } })],
  ['an action of $merge', 51191, (name) => pipeline({ $merge: { into: 'b', whenMatched: name } })],
  ['an accumulator', 15952, (name) => pipeline({ $group: { _id: 1, n: { [name]: 1 } } })],
  ['an output of $bucket', 15952, (name) => bucket({ n: { [name]: 1 } })],
  ['a variable', 17276, (name) => expression(`$$${name}`)],
  ['an argument of an operator', 9, (name) => expression({ $dateAdd: { [name]: 1 } })],
  ['a type to convert to', 2, (name) => expression({ $convert: { input: 1, to: name } })],
  [
    'a unit of $dateAdd',
    9,
    (unit) => dateOperator('$dateAdd', { startDate: date, unit, amount: 1 }),
  ],
  [
    'a unit of $dateDiff',
    9,
    (unit) => dateOperator('$dateDiff', { startDate: date, endDate: date, unit }),
  ],
  ['a unit of $dateTrunc', 9, (unit) => dateOperator('$dateTrunc', { date, unit })],
  [
    'a day of $dateTrunc',
    9,
    (startOfWeek) => dateOperator('$dateTrunc', { date, unit: 'week', startOfWeek }),
  ],
  ['a time zone', 40485, (timezone) => expression({ $hour: { date, timezone } })],
  ['metadata', 17308, (name) => expression({ $meta: name })],
  ['an operator', 2, (name) => query({ a: { $gt: 1, [name]: 1 } })],
  ['an operator of $not', 2, (name) => query({ a: { $not: { [name]: 1 } } })],
  ['a type of $type', 2, (name) => query({ a: { $type: name } })],
  ['a class of characters', 51091, (name) => query({ a: { $regex: `[[:${name}:]]` } })],
  ['a region', 2, (name) => query({ a: { $geoWithin: { [name]: [] } } })],
  [
    'a geometry',
    2,
    (type) => query({ a: { $geoIntersects: { $geometry: { type, coordinates: [1, 1] } } } }),
  ],
  ['a keyword of $jsonSchema', 9, (name) => schema({ [name]: {} })],
  ['a type of $jsonSchema', 2, (name) => schema({ type: name })],
  ['a BSON type of $jsonSchema', 2, (name) => schema({ bsonType: name })],
  ['a modifier', 9, (name) => update({ $set: { a: 1 }, [name]: { b: 1 } })],
  ['a clause of $push', 2, (name) => update({ $push: { list: { $each: [1], [name]: 1 } } })],
  ['an operation of $bit', 2, (name) => update({ $bit: { a: { [name]: 1 } } })],
  ['a type of $currentDate', 2, (name) => update({ $currentDate: { a: { $type: name } } })],
  ['an option of an index', 197, (name) => index({ [name]: 1 })],
  ['a kind of an index', 67, (name) => index({}, { a: name })],
  ['a language of an index', 67, (name) => index({ default_language: name }, { a: 'text' })],
  [
    'an option of a collation',
    9,
    (name) => ({ find: 'items', collation: { locale: 'en', [name]: 1 } }),
  ],
  ['a locale', 2, (locale) => ({ find: 'items', collation: { locale } })],
]

const bulkWrite = (op: Doc): Doc => ({ bulkWrite: 1, ops: [op], nsInfo: [{ ns: 'app.items' }] })
const bucket = (output: Doc): Doc =>
  pipeline({ $bucket: { groupBy: '$a', boundaries: [0, 9], output } })
const dateOperator = (operator: string, operands: Doc): Doc => expression({ [operator]: operands })
const onAdmin = new Set([
  'bulkWrite',
  'getParameter',
  'setParameter',
  'configureFailPoint',
  'getLog',
])

describe('a name that every object inherits', () => {
  it.each(rejected)('is as unknown as any other as %s', async (_kind, code, toCommand) => {
    const { client, databaseName } = await freshDatabase()
    const db = client.db(databaseName)
    await db.collection('items').insertOne({ a: 1, list: [] })
    const codes = await Promise.all(
      ['other', ...names].map(async (name) => {
        const command = toCommand(name)
        const isAdmin = onAdmin.has(Object.keys(command)[0] ?? '')
        return [name, await codeOf((isAdmin ? client.db('admin') : db).command(command))]
      }),
    )
    expect(codes).toEqual(['other', ...names].map((name) => [name, code]))
  })
})

describe.each(names)('a field named %s', (name) => {
  const collection = async () => {
    const items = (await freshDatabase()).collection<Item>('items')
    await items.insertMany([{ _id: 1, [name]: 2 }, { _id: 2, [name]: 1 }, { _id: 3 }])
    return items
  }
  const ids = (docs: Doc[]) => docs.map(({ _id }) => _id)

  it('is found, sorted, projected and counted as any other', async () => {
    const items = await collection()
    expect(ids(await items.find({ [name]: 1 }).toArray())).toEqual([2])
    expect(ids(await items.find({ [name]: { $exists: true } }).toArray())).toEqual([1, 2])
    expect(
      ids(
        await items
          .find()
          .sort({ [name]: 1 })
          .toArray(),
      ),
    ).toEqual([3, 2, 1])
    expect(await items.findOne({ _id: 1 }, { projection: { _id: 0, [name]: 1 } })).toEqual({
      [name]: 2,
    })
    expect(await items.findOne({ _id: 1 }, { projection: { [name]: 0 } })).toEqual({ _id: 1 })
    expect(new Set(await items.distinct(name))).toEqual(new Set([1, 2]))
  })

  it('is updated as any other', async () => {
    const items = await collection()
    await items.updateOne({ _id: 3 }, { $set: { [`a.${name}`]: 1 }, $inc: { [name]: 5 } })
    expect(await items.findOne({ _id: 3 })).toEqual({ _id: 3, a: { [name]: 1 }, [name]: 5 })
    await items.updateOne({ _id: 3 }, { $unset: { [name]: 1 }, $rename: { a: 'b' } })
    expect(await items.findOne({ _id: 3 })).toEqual({ _id: 3, b: { [name]: 1 } })
    await items.updateOne({ _id: 3 }, { $rename: { b: name } })
    expect(await items.findOne({ _id: 3 })).toEqual({ _id: 3, [name]: { [name]: 1 } })
    await items.updateOne({ _id: 3 }, { $push: { [`${name}.list`]: 1 } } as object)
    await items.updateOne({ _id: 3 }, [{ $unset: `${name}.${name}` }, { $set: { c: `$${name}` } }])
    expect(await items.findOne({ _id: 3 })).toEqual({
      _id: 3,
      [name]: { list: [1] },
      c: { list: [1] },
    })
    await items.updateOne({ _id: 4, [name]: 4 }, { $set: { d: 1 } }, { upsert: true })
    expect(await items.findOne({ _id: 4 })).toEqual({ _id: 4, [name]: 4, d: 1 })
  })

  it('is the key of an index as any other', async () => {
    const items = await collection()
    await items.createIndex({ [name]: 1 }, { unique: true })
    const plan = await items.find({ [name]: 1 }).explain()
    expect(plan['queryPlanner'].winningPlan.inputStage.stage).toBe('IXSCAN')
    await expect(items.insertOne({ _id: 5, [name]: 1 })).rejects.toMatchObject({
      code: 11_000,
      keyPattern: { [name]: 1 },
      keyValue: { [name]: 1 },
    })
    await items.dropIndex(`${name}_1`)
    await items.createIndex({ [name]: 'text', a: 1 }, { weights: { [name]: 3 } })
    expect((await items.indexes())[1]).toMatchObject({ weights: { [name]: 3 } })
  })

  it('is computed in a pipeline as any other', async () => {
    const items = await collection()
    const run = async (...stages: Doc[]) =>
      items.aggregate([{ $match: { _id: 1 } }, ...stages]).toArray()
    expect(await run({ $unset: name })).toEqual([{ _id: 1 }])
    expect(await run({ $set: { [name]: 3, a: `$${name}` } })).toEqual([{ _id: 1, [name]: 3, a: 2 }])
    expect(await run({ $project: { _id: 0, [name]: { $add: [`$${name}`, 1] } } })).toEqual([
      { [name]: 3 },
    ])
    expect(await run({ $group: { _id: null, [name]: { $sum: 1 } } })).toEqual([
      { _id: null, [name]: 1 },
    ])
    expect(await run({ $count: name })).toEqual([{ [name]: 1 }])
    expect(
      await run({ $facet: { [name]: [] } }, { $set: { [name]: { $size: `$${name}` } } }),
    ).toEqual([{ [name]: 1 }])
    expect(await run({ $replaceWith: { $mergeObjects: [{ [name]: 1 }, { a: 1 }] } })).toEqual([
      { [name]: 1, a: 1 },
    ])
    expect(await run({ $replaceWith: { $arrayToObject: [[[name, 1]]] } })).toEqual([{ [name]: 1 }])
    expect(await run({ $project: { list: { $objectToArray: { [name]: 1 } } } })).toEqual([
      { _id: 1, list: [{ k: name, v: 1 }] },
    ])
    expect(
      await run({ $replaceWith: { $setField: { field: name, input: {}, value: 1 } } }),
    ).toEqual([{ [name]: 1 }])
    const other = { from: 'items', localField: '_id', foreignField: '_id', as: name }
    expect(await run({ $lookup: other }, { $unwind: `$${name}` })).toEqual([
      { _id: 1, [name]: { _id: 1, [name]: 2 } },
    ])
    expect(
      ids(
        await items
          .aggregate([
            { $match: { _id: 3 } },
            { $match: { $expr: { $eq: [{ $type: `$${name}` }, 'missing'] } } },
          ])
          .toArray(),
      ),
    ).toEqual([3])
  })

  it('identifies the documents that $merge writes as any other', async () => {
    const items = await collection()
    await items.createIndex({ [name]: 1 }, { unique: true, sparse: true })
    await items
      .aggregate([
        { $match: { _id: 1 } },
        { $project: { _id: 0, [name]: 1, a: '5' } },
        { $merge: { into: 'items', on: name } },
      ])
      .toArray()
    expect(await items.findOne({ a: { $exists: true } })).toEqual({ _id: 1, [name]: 2, a: '5' })
  })

  it('is described by a change stream as any other', async () => {
    const items = await collection()
    const stream = items.watch([], { showExpandedEvents: true })
    const next = async () => {
      const event = await stream.next()
      return event.operationType === 'update' ? event.updateDescription : undefined
    }
    // Opens the stream.
    await stream.tryNext()
    await items.updateOne({ _id: 3 }, { $set: { [name]: 7 } })
    expect(await next()).toMatchObject({ updatedFields: { [name]: 7 } })
    await items.updateOne({ _id: 3 }, { $unset: { [name]: 1 } })
    expect(await next()).toMatchObject({ removedFields: [name] })
    await items.updateOne({ _id: 3 }, { $set: { [`${name}.0`]: 7 } })
    await items.updateOne({ _id: 3 }, { $set: { [`${name}.0`]: 8 } })
    await next()
    expect(await next()).toMatchObject({ disambiguatedPaths: { [`${name}.0`]: [name, '0'] } })
    await stream.close()
  })

  it('is validated as any other', async () => {
    const db = await freshDatabase()
    const $jsonSchema = { additionalProperties: false, properties: { _id: {}, a: {} } }
    const tested = await db.createCollection('tested', { validator: { $jsonSchema } })
    await expect(tested.insertOne({ a: 1, [name]: 1 })).rejects.toMatchObject({
      errInfo: { details: { schemaRulesNotSatisfied: [{ additionalProperties: [name] }] } },
    })
  })
})

async function codeOf(run: Promise<Doc>): Promise<unknown> {
  const reply = await run.catch((error: unknown) => error as Doc)
  const [failed] = (reply['writeErrors'] ?? []) as Doc[]
  const [op] = ((reply['cursor'] as Doc | undefined)?.['firstBatch'] ?? []) as Doc[]
  return failed?.['code'] ?? op?.['code'] ?? reply['code'] ?? reply
}
