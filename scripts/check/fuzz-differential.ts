// Sends the same commands to the embedded database and to a MongoDB server, see mongod.ts, and compares
// the replies. Exits with 1 after an unexplained difference.
// Usage: npm run source -- scripts/check/fuzz-differential.ts [--seed <n>] [--runs <n>] [--generator <name>] [--stand-in]
import { parseArgs } from 'node:util'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { fuzz } from '../../packages/embedded-mongo/test/differential/fuzz.ts'
import { generators } from '../../packages/embedded-mongo/test/generators/scripts.ts'
import { startServer, type TestServer } from './mongod.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1000' },
    generator: { type: 'string', multiple: true, default: Object.keys(generators) },
    // A second embedded database in place of the server: tests the test.
    'stand-in': { type: 'boolean', default: false },
  },
})

const other = values['stand-in'] ? await startEmbedded() : await startServer()
if ('missing' in other) {
  console.log(`No MongoDB server (${other.missing}): no case compared. See --stand-in.`)
} else {
  process.exitCode = await compareWith(other)
}

async function compareWith(server: TestServer): Promise<number> {
  const embedded = await startEmbedded()
  console.log(`A: ${embedded.name}\nB: ${server.name}`)
  try {
    const differences = await fuzz({
      a: embedded.uri,
      b: server.uri,
      seed: Number(values.seed),
      runs: Number(values.runs),
      generators: values.generator,
      print: (line) => console.log(line),
    })
    return differences === 0 ? 0 : 1
  } finally {
    await server.stop()
    await embedded.stop()
  }
}

async function startEmbedded(): Promise<TestServer> {
  const mongo = await startEmbeddedMongo({ storage: { memory: true }, port: 0 })
  return { uri: mongo.uri, stop: () => mongo.stop(), name: 'the embedded database' }
}
