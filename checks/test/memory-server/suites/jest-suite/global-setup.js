const mongoose = require('mongoose')
const { MongoMemoryServer } = require('mongodb-memory-server')

module.exports = async () => {
  const instance = await MongoMemoryServer.create({ instance: { dbName: 'library' } })
  const uri = instance.getUri()
  globalThis.__MONGO_INSTANCE__ = instance
  process.env.MONGO_URI = uri.slice(0, uri.lastIndexOf('/'))

  await mongoose.connect(`${process.env.MONGO_URI}/library`)
  await mongoose.connection.db.dropDatabase()
  await mongoose.connection.collection('seeds').insertOne({ name: 'seed' })
  await mongoose.disconnect()
}
