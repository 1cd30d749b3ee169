import { startEmbeddedMongo } from '@create-api/embedded-mongo'

// A database in memory, or in a folder and at a port, started by the system tests.
const [directory, port] = process.argv.slice(2)
const server = await startEmbeddedMongo({
  storage: directory === undefined ? { memory: true } : { directory },
  ...(port !== undefined && { port: Number(port) }),
})
process.once('disconnect', () => void server.stop().finally(() => process.exit()))
process.send?.({ uri: server.uri })
