import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose from 'mongoose'

// The database of the other processes, on a folder.
const [directory = ''] = process.argv.slice(2)
const server = await startEmbeddedMongo({ storage: { directory }, onMessage: () => {} })
const connection = await mongoose.createConnection(server.uri).asPromise()
// The transaction of a process that was killed holds its documents for that long: one minute by default.
await connection.db?.admin().command({ setParameter: 1, transactionLifetimeLimitSeconds: 2 })
await connection.close()
process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)))
// Keeps the process alive.
process.on('message', () => {})
process.send?.(server.uri)
