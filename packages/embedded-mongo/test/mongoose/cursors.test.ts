import { Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()

async function numbers(count: number) {
  const Model = connection.model('Numbered', new Schema({ n: Number }))
  await Model.insertMany(Array.from({ length: count }, (_, n) => ({ n })))
  return Model
}

describe('mongoose cursors', () => {
  it('iterates over many batches', async () => {
    const Model = await numbers(250)
    const seen: (number | null | undefined)[] = []
    for await (const { n } of Model.find().sort('n').cursor({ batchSize: 20 })) seen.push(n)
    expect(seen).toEqual(Array.from({ length: 250 }, (_, n) => n))
  })

  it('reads the next document until there is none', async () => {
    const Model = await numbers(2)
    const cursor = Model.find().sort('n').cursor()
    expect((await cursor.next())?.n).toBe(0)
    expect((await cursor.next())?.n).toBe(1)
    expect(await cursor.next()).toBeNull()
  })

  it('runs eachAsync, in parallel and in batches', async () => {
    const Model = await numbers(10)
    let sum = 0
    await Model.find()
      .cursor()
      .eachAsync(
        ({ n }) => {
          sum += n ?? 0
        },
        { parallel: 3 },
      )
    expect(sum).toBe(45)
    const sizes: number[] = []
    await Model.find()
      .cursor()
      .eachAsync((docs) => void sizes.push(docs.length), { batchSize: 4 })
    expect(sizes).toEqual([4, 4, 2])
  })

  it('closes early', async () => {
    const Model = await numbers(300)
    const cursor = Model.find().cursor({ batchSize: 10 })
    await cursor.next()
    await cursor.close()
    expect(await Model.countDocuments()).toBe(300)
  })

  it('leaves a loop early', async () => {
    const Model = await numbers(300)
    let count = 0
    for await (const doc of Model.find().cursor({ batchSize: 10 })) {
      count += Number(doc.n !== null)
      if (count === 15) break
    }
    expect(count).toBe(15)
  })

  it('continues while documents are written and deleted', async () => {
    const Model = await numbers(100)
    const cursor = Model.find().sort('_id').cursor({ batchSize: 10 })
    await cursor.next()
    await Model.deleteMany({ n: { $gte: 50 } })
    let count = 1
    for await (const doc of cursor) count += Number(!doc.isNew)
    expect(count).toBeLessThanOrEqual(100)
    expect(count).toBeGreaterThanOrEqual(50)
  })

  it('transforms lean documents', async () => {
    const Model = await numbers(3)
    const cursor = Model.find().sort('n').lean().cursor()
    cursor.map((doc) => ({ ...doc, twice: (doc.n ?? 0) * 2 }))
    const seen: unknown[] = []
    for await (const doc of cursor) seen.push((doc as { twice?: number }).twice)
    expect(seen).toEqual([0, 2, 4])
  })
})
