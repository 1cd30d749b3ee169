import { startEmbeddedMongo } from '@create-api/embedded-mongo'

// A database in a separate process, to be killed; started by failover.system.test.ts.
const { uri } = await startEmbeddedMongo({ storage: { directory: process.argv[2] ?? '' } })
process.send?.({ uri })
process.once('disconnect', () => process.exit())
