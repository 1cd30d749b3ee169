import { startEmbeddedMongo } from '@create-api/embedded-mongo'

// A database, started by live-load.system.test.ts.
const server = await startEmbeddedMongo({ storage: { memory: true } })
process.once('disconnect', () => void server.stop().finally(() => process.exit()))
process.send?.({ uri: server.uri })
