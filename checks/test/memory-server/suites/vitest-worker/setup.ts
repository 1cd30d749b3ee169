import { MongoMemoryServer } from 'mongodb-memory-server'
import mongoose from 'mongoose'
import { afterAll, beforeAll, beforeEach } from 'vitest'

// Modules are evaluated again for each file; the server of the worker stays.
const shared = globalThis as { server?: Promise<MongoMemoryServer> }

beforeAll(async () => {
  shared.server ??= MongoMemoryServer.create()
  const server = await shared.server
  await mongoose.connect(server.getUri('library'))
})

beforeEach(async () => {
  await mongoose.connection.dropDatabase()
})

afterAll(() => mongoose.disconnect())
