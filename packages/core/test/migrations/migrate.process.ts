import mongoose from 'mongoose'
import { createMigrator } from '../../src/lib/migrations/migrator.ts'

// One process that applies the migrations of a folder, with a clock that may be wrong. It reports
// what it does, and its result.
const [uri = '', dbName = '', directory = '', leaseMs = '', skew = '0', pauseMs = '0'] =
  process.argv.slice(2)
const { now } = Date
Date.now = () => now() + Number(skew)

// Sampled: the maximum of the operating system can be that of the parent process, before `exec`.
let bytes = 0
const connection = await mongoose.createConnection(uri, { dbName }).asPromise()
process.send?.({ ready: true })
const migrator = createMigrator({
  connection,
  directory,
  service: 'shop',
  version: String(process.pid),
  leaseMs: Number(leaseMs),
  onStart: (name) => process.send?.({ started: name }),
  onWait: ({ pid }) => process.send?.({ waitsFor: pid }),
  onProgress: ({ documents }) => {
    process.send?.({ documents })
    bytes = Math.max(bytes, process.memoryUsage.rss())
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(pauseMs))
  },
})
try {
  const done = await migrator.up()
  process.send?.({ done: done.map(({ name }) => name), megabytes: Math.round(bytes / 1e6) })
} catch (error) {
  const { code, message } =
    error instanceof Error && 'code' in error ? error : { code: '', message: String(error) }
  process.send?.({ failed: code, message })
}
await connection.close()
process.disconnect?.()
