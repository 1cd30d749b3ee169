const { MongoMemoryServer } = require('mongodb-memory-server')
const { MongoClient } = require('mongodb')

let server
let client

exports.mochaHooks = {
  async beforeAll() {
    server = await MongoMemoryServer.create()
    client = await MongoClient.connect(server.getUri())
  },
  beforeEach() {
    this.db = client.db('library')
    return this.db.dropDatabase()
  },
  async afterAll() {
    await client.close()
    await server.stop()
  },
}
