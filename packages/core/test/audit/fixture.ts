import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose, { type mongo } from 'mongoose'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

/** A database for the tests of a file, which is empty before each. */
export function useDatabase(
  secret: string | undefined = '8foVWIZaXs2SsVlPCJkjQ3RkghpsGTNUbtYSjAVobKre',
): void {
  let stop: () => Promise<void>
  beforeAll(async () => {
    const server = await startEmbeddedMongo({ storage: { memory: true } })
    await mongoose.connect(server.uri)
    stop = async () => {
      await mongoose.disconnect()
      await server.stop()
    }
  })
  beforeEach(() => {
    setSecret(secret)
  })
  afterEach(async () => {
    await mongoose.connection.dropDatabase()
    for (const name of mongoose.connection.modelNames()) mongoose.connection.deleteModel(name)
    setSecret(undefined)
  })
  afterAll(() => stop())
}

export function setSecret(secret: string | undefined): void {
  if (secret === undefined) delete process.env['AUDIT_SECRET']
  else process.env['AUDIT_SECRET'] = secret
}

export function entries(): Promise<mongo.Document[]> {
  return collection('audit_entries').find().sort({ document: 1, sequence: 1 }).toArray()
}

export function collection(name: string): mongo.Collection {
  return mongoose.connection.collection(name)
}
