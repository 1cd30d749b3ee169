import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose, { model, Schema } from 'mongoose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordChanges } from '../../src/lib/resource/record-changes.ts'
import { createDocument } from '../../src/resource.ts'

let stop: () => Promise<void>

beforeAll(async () => {
  const server = await startEmbeddedMongo({ storage: { memory: true } })
  await mongoose.connect(server.uri)
  stop = async () => {
    await mongoose.disconnect()
    await server.stop()
  }
})

afterAll(() => stop())

it('createDocument creates a document whose recorded transaction is repeated because of its commit', async () => {
  const Things = model('Thing', new Schema({ title: String }, { timestamps: true }))
  let recorded = 0
  recordChanges(Things, async () => void (recorded += 1))
  await Things.createCollection()
  await mongoose.connection.db?.admin().command({
    configureFailPoint: 'failCommand',
    mode: { times: 1 },
    data: {
      failCommands: ['commitTransaction'],
      errorCode: 251,
      errorLabels: ['TransientTransactionError'],
    },
  })
  const created = await createDocument(Things, { title: 'One' }, { scope: {} })
  expect(recorded).toBe(2)
  expect(await Things.find().lean()).toMatchObject([{ _id: created._id, title: 'One' }])
})
