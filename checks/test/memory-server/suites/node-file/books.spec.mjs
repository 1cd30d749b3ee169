import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { MongoMemoryServer } from 'mongodb-memory-server'
import { MongoClient } from 'mongodb'

let server
let client

before(async () => {
  server = await MongoMemoryServer.create()
  client = await MongoClient.connect(server.getUri())
})

after(async () => {
  await client.close()
  await server.stop()
})

test('saves and finds', async () => {
  const books = client.db('library').collection('books')
  await books.insertOne({ title: 'Emma' })
  assert.equal((await books.findOne({ title: 'Emma' })).title, 'Emma')
})
