// The database of the sessions, in a process of its own: node database.js
import { startEmbeddedMongo } from '@create-api/embedded-mongo'

const { uri } = await startEmbeddedMongo({ storage: { memory: true } })
process.send({ uri })
// Whoever started this process is gone.
process.on('disconnect', () => process.exit())
