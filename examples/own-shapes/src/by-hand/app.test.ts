import { once } from 'node:events'
import { createServer } from 'node:http'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose from 'mongoose'
import { type Service, testConduit } from '../conduit-tests.ts'
import { createApp } from './app.ts'

async function start(): Promise<Service> {
  const database = await startEmbeddedMongo({ storage: { memory: true } })
  await mongoose.connect(process.env['MONGODB_URI'] ?? database.uri, { dbName: 'own_shapes' })
  const server = createServer(createApp('a secret of at least 32 bytes, for tests')).listen(0)
  await once(server, 'listening')
  const { port } = Object(server.address())
  return {
    url: `http://localhost:${port}`,
    async stop() {
      server.close()
      await mongoose.connection.dropDatabase()
      await mongoose.disconnect()
      await database.stop()
    },
  }
}

testConduit(start)
