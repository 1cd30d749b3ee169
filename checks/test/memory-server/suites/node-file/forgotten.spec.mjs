import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MongoMemoryServer } from 'mongodb-memory-server'
import { MongoClient } from 'mongodb'

// A server that nothing stops does not keep the process alive.
test('ends without a stop', async () => {
  const server = await MongoMemoryServer.create()
  const client = await MongoClient.connect(server.getUri())
  assert.equal(await client.db().collection('books').countDocuments(), 0)
  await client.close()
})
