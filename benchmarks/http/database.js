// The database of the sessions, in a process of its own: node database.js [folder]
import { startEmbeddedMongo } from '@create-api/embedded-mongo'

const [directory] = process.argv.slice(2)
const { uri } = await startEmbeddedMongo({ storage: directory ? { directory } : { memory: true } })
process.send({ uri })
// Whoever started this process is gone.
process.on('disconnect', () => process.exit())
