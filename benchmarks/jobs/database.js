// @ts-check
// The embedded database in a process for itself, until the parent ends it.
import { startEmbeddedMongo } from '@create-api/embedded-mongo'

const server = await startEmbeddedMongo({ storage: { memory: true } })
process.on('message', () => {})
process.send?.(server.uri)
