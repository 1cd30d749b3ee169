import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { MongoClient } from 'mongodb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startServer } from '../scripts/check/mongod.ts'

const embedded = fileURLToPath(import.meta.resolve('@create-api/embedded-mongo'))

// A program with the options of mongod that serves an embedded database.
const program = `#!${process.execPath} --import=tsx
import { startEmbeddedMongo } from ${JSON.stringify(embedded)}
const port = Number(process.argv[process.argv.indexOf('--port') + 1])
if (process.argv.includes('--version')) process.exit(0)
await startEmbeddedMongo({ storage: { memory: true }, port })
setInterval(() => {}, 60_000)
`

describe('startServer', () => {
  let folder: string

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'mongod-test-'))
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })

  it('uses the server of MONGODB_TEST_URI and leaves it running', async () => {
    const database = await startEmbeddedMongo({ storage: { memory: true }, port: 0 })
    vi.stubEnv('MONGODB_TEST_URI', database.uri)
    const server = await startServer()
    expect(server).toMatchObject({
      uri: database.uri,
      name: 'the embedded database (MONGODB_TEST_URI)',
    })
    if (!('missing' in server)) await server.stop()
    const client = await MongoClient.connect(database.uri)
    await client.close()
    await database.stop()
  })

  it('starts the program of MONGOD and stops it', async () => {
    const file = path.join(folder, 'mongod.mjs')
    writeFileSync(file, program)
    chmodSync(file, 0o755)
    vi.stubEnv('MONGODB_TEST_URI', '')
    vi.stubEnv('MONGOD', file)
    const server = await startServer({ standalone: true })
    if ('missing' in server) throw new Error(server.missing)
    expect(server.name).toBe(`the embedded database (${file})`)
    const client = await MongoClient.connect(server.uri)
    await client.db('x').collection('y').insertOne({ z: 1 })
    await client.close()
    await server.stop()
    await expect(
      MongoClient.connect(server.uri, { serverSelectionTimeoutMS: 300 }),
    ).rejects.toThrow(/ECONNREFUSED/u)
  })
})
