import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type EmbeddedMongo, startEmbeddedMongo } from '@create-api/embedded-mongo'
import { BSON, Decimal128, type Document, Long, MongoClient } from 'mongodb'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type McpClient, startMcpServer } from './mcp-client.ts'

// `node scripts/check/clients.js` installs them.
const modules = join(import.meta.dirname, 'node_modules')
const mongosh = join(modules, 'mongosh/bin/mongosh.js')
const mcpServer = join(modules, 'mongodb-mcp-server/dist/index.js')
const python = join(modules, '.python')
const goClient = join(modules, '.go/client')
const tools = ['mongodump', 'mongorestore', 'mongoexport', 'mongoimport']

const timeoutMs = 300_000
const run = promisify(execFile)

let folder: string
let mongo: EmbeddedMongo
let address: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clients-'))
  mongo = await startEmbeddedMongo({ storage: { memory: true }, port: 0, onMessage: () => {} })
  address = new URL(mongo.uri).host
})

afterEach(async () => {
  await mongo.stop()
  rmSync(folder, { recursive: true })
})

async function withClient<T>(action: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await MongoClient.connect(mongo.uri)
  try {
    return await action(client)
  } finally {
    await client.close()
  }
}

function hint(what: string): string {
  return `${what} is not installed, see scripts/check/clients.js`
}

it('mongosh shows the database', async ({ skip }) => {
  skip(!existsSync(mongosh), hint('mongosh'))
  const settings = join(folder, '.mongodb/mongosh')
  mkdirSync(settings, { recursive: true })
  writeFileSync(join(settings, 'config'), JSON.stringify({ enableTelemetry: false }))
  const script = join(import.meta.dirname, 'shell.js')
  const parts = ['--quiet', '--norc', '--file', script]
  const { stdout } = await run(process.execPath, [mongosh, mongo.uri, ...parts], {
    env: { ...process.env, HOME: folder },
    timeout: timeoutMs,
  })
  expect(stdout.trim()).toBe('ok')
})

it("MongoDB's MCP server works", async ({ skip }) => {
  skip(!existsSync(mcpServer), hint('mongodb-mcp-server'))
  const client = await startMcpServer(mcpServer, {
    HOME: folder,
    MDB_MCP_CONNECTION_STRING: mongo.uri,
    MDB_MCP_TELEMETRY: 'disabled',
  })
  try {
    await useMcpServer(client)
  } finally {
    client.stop()
  }
  expect(await withClient((opened) => opened.db('shop').collections())).toEqual([])
})

async function useMcpServer(client: McpClient): Promise<void> {
  const call = async (tool: string, args: object = {}): Promise<string> => {
    const { isError, content } = await client.call(tool, { connectionId: 'preconfigured', ...args })
    const text = content.map((part) => part.text ?? '').join('\n')
    if (isError) throw new Error(`${tool}: ${text}`)
    return text
  }
  const items = { database: 'shop', collection: 'items' }
  const filter = { a: 1 }
  const definition = [{ type: 'classic', keys: { a: 1 } }]
  await call('create-collection', items)
  await call('insert-many', {
    ...items,
    documents: [
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
    ],
  })
  await call('create-index', { ...items, name: 'a_1', definition })
  expect(await call('collection-indexes', items)).toContain('"name":"a_1"')
  expect(await call('collection-schema', items)).toContain('Found 2 fields')
  await call('collection-storage-size', items)
  expect(await call('count', { ...items, query: filter })).toContain('Found 1 documents')
  expect(await call('find', { ...items, filter })).toContain('{"_id":1,"a":1}')
  expect(await call('aggregate', { ...items, pipeline: [{ $match: filter }] })).toContain('"a":1')
  const method = [{ name: 'find', arguments: { filter } }]
  expect(await call('explain', { ...items, method })).toContain('IXSCAN')
  expect(await call('db-stats', { database: 'shop' })).toContain('"objects":2')
  expect(await call('list-databases')).toContain('"shop"')
  expect(await call('list-collections', { database: 'shop' })).toContain('"items"')
  await call('mongodb-logs', { type: 'startupWarnings' })
  await call('update-many', { ...items, filter, update: { $set: { b: 2 } } })
  await call('rename-collection', { ...items, newName: 'things' })
  const things = { database: 'shop', collection: 'things' }
  await call('delete-many', { ...things, filter })
  await call('drop-index', { ...things, indexName: 'a_1', type: 'classic' })
  await call('drop-collection', things)
}

// The first address names the server alone; with the second, the driver looks for the members of the set.
const parameters = ['directConnection=true', 'replicaSet=rs0']

it('PyMongo works', async ({ skip }) => {
  skip(!existsSync(python), hint('PyMongo'))
  for (const parameter of parameters) {
    const uri = `mongodb://${address}/?${parameter}`
    const { stdout } = await run('python3', [join(import.meta.dirname, 'client.py'), uri], {
      env: { ...process.env, PYTHONPATH: python },
      timeout: timeoutMs,
    })
    expect(stdout.trim()).toBe('ok')
  }
})

it('the Go driver works', async ({ skip }) => {
  skip(!existsSync(goClient), hint('the Go driver'))
  for (const parameter of parameters) {
    const uri = `mongodb://${address}/?${parameter}`
    const { stdout } = await run(goClient, [uri], { timeout: timeoutMs })
    expect(stdout.trim()).toBe('ok')
  }
})

it('a dump of mongodump is restored by mongorestore', async ({ skip }) => {
  const missing = tools.find((name) => spawnSync(name, ['--version']).status !== 0)
  skip(missing !== undefined, `${missing} is not on the path`)
  const documents: Document[] = [
    { _id: 1, long: Long.fromString('9007199254740993'), date: new Date(5) },
    { _id: 2, decimal: Decimal128.fromString('1.10'), list: [1, null, { a: true }] },
  ]
  await withClient(async (client) => {
    const items = client.db('shop').collection('items')
    await items.createIndex({ name: 1 }, { unique: true, sparse: true })
    await items.insertMany(documents)
  })
  const place = { cwd: folder, timeout: timeoutMs }
  const uri = mongo.uri.replace('/app', '/shop')
  await run('mongodump', ['--quiet', '--uri', uri, '--out', 'dump'], place)
  const exported = ['--collection', 'items', '--jsonFormat', 'canonical', '--out', 'items.json']
  await run('mongoexport', ['--quiet', '--uri', uri, ...exported], place)
  const server = mongo.uri.replace('/app', '/')
  await run('mongorestore', ['--quiet', '--drop', '--uri', server, 'dump'], place)
  const imported = ['--collection', 'copies', '--file', 'items.json']
  await run('mongoimport', ['--quiet', '--uri', uri, ...imported], place)
  await withClient(async (client) => {
    const db = client.db('shop')
    for (const name of ['items', 'copies']) {
      const found = await db.collection(name).find({}, { promoteLongs: false }).toArray()
      expect(BSON.EJSON.stringify(found)).toBe(BSON.EJSON.stringify(documents))
    }
    expect(await db.collection('items').indexes()).toMatchObject([
      { name: '_id_' },
      { name: 'name_1', unique: true, sparse: true },
    ])
  })
})
