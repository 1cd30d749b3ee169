import MongoMemoryServer from 'mongodb-memory-server'
import mongoose from 'mongoose'

let server

export const mochaHooks = {
  async beforeAll() {
    server = new MongoMemoryServer({ instance: { port: 47017 } })
    await server.start()
    await mongoose.connect(server.getUri())
  },
  async afterEach() {
    await mongoose.connection.dropDatabase()
  },
  async afterAll() {
    await mongoose.disconnect()
    await server.stop()
  },
}
