import { type Db } from 'mongodb'
import { expect, it } from 'vitest'
import { exportDatabase, importDatabase } from '../src/transfer.ts'
import { connect, freshDatabase, start, temporaryFolder } from './fresh-server.ts'

const paris = { type: 'Point', coordinates: [2.3522, 48.8566] }

async function fill(db: Db): Promise<void> {
  const places = db.collection('places')
  await places.createIndex({ name: 'text', about: 'text' }, { weights: { name: 3 } })
  await places.createIndex({ at: '2dsphere' })
  await places.createIndex({ map: '2d' }, { min: -500, max: 500 })
  await places.insertOne({ name: 'Bakeries of Paris', at: paris, map: [400, 1] })
}

async function search(db: Db): Promise<unknown> {
  const places = db.collection('places')
  const score = { score: { $meta: 'textScore' } }
  return {
    indexes: await places.indexes(),
    text: await places.find({ $text: { $search: 'bakery' } }, { projection: score }).toArray(),
    near: await places.countDocuments({ at: { $geoWithin: { $centerSphere: [[2, 49], 0.01] } } }),
    sphere: await places.find({ at: { $near: { $geometry: paris } } }).toArray(),
    plane: await places.find({ map: { $near: [400, 0], $maxDistance: 1 } }).toArray(),
  }
}

it('text and geo indexes survive a restart', async () => {
  const directory = temporaryFolder()
  const first = await start({ storage: { directory } })
  const client = await connect(first.uri)
  await fill(client.db())
  const before = await search(client.db())
  await client.close()
  await first.stop()
  const second = await start({ storage: { directory } })
  const db = (await connect(second.uri)).db()
  expect(await search(db)).toEqual(before)
  expect(before).toMatchObject({ text: [{ score: 2.25 }], near: 1, sphere: [{}], plane: [{}] })
  // What was read from the folder still checks what is written.
  const write = db.collection('places').insertOne({ at: { type: 'Point', coordinates: [0, 91] } })
  await expect(write).rejects.toMatchObject({ code: 16755 })
})

it('text and geo indexes are copied to another database', async () => {
  const [source, target] = [await freshDatabase(), await freshDatabase()]
  await fill(source)
  const directory = temporaryFolder()
  await exportDatabase(source, { directory })
  await importDatabase(target, { from: directory })
  expect(await search(target)).toEqual(await search(source))
})
