// Uses a folder through Mongoose, disconnects, and neither stops the server nor exits.
import mongoose from 'mongoose'

const [, , built, directory] = process.argv
const { startEmbeddedMongo } = await import(`${built}/index.js`)
const mongo = await startEmbeddedMongo({ storage: { directory }, onMessage: () => {} })
process.disconnect()
await mongoose.connect(mongo.uri)
const Thing = mongoose.model('Thing', new mongoose.Schema({ n: Number }))
await Thing.create({ n: 1 })
const found = await Thing.countDocuments({ n: 1 })
process.stdout.write(`found ${found}\n`)
await mongoose.disconnect()
