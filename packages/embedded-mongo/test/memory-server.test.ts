import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { afterEach, describe, expect, it } from 'vitest'
import { MongoMemoryReplSet, MongoMemoryServer } from '../src/index.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

async function start(options?: ConstructorParameters<typeof MongoMemoryServer>[0]) {
  const server = await MongoMemoryServer.create(options)
  cleanups.push(() => server.stop())
  return server
}

async function connect(uri: string): Promise<MongoClient> {
  const client = await new MongoClient(uri).connect()
  cleanups.push(() => client.close())
  return client
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'memory-server-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

// A port that something else listens on.
async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  cleanups.push(() => server.close())
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

const items = (client: MongoClient) => client.db('shop').collection<{ n: number }>('items')

describe('MongoMemoryServer', () => {
  it('serves a database at the address that it names', async () => {
    const server = await start()
    const { port, ip } = server.instanceInfo ?? {}
    expect(server.state).toBe('running')
    expect(server.getUri()).toBe(`mongodb://${ip}:${port}/`)
    expect(server.getUri('shop', 'localhost')).toBe(`mongodb://localhost:${port}/shop`)
    const client = await connect(server.getUri('shop'))
    await items(client).insertOne({ n: 1 })
    expect(await client.db().collection('items').countDocuments()).toBe(1)
  })

  it('keeps the data of two servers apart', async () => {
    const [one, two] = await Promise.all([start(), start()])
    await items(await connect(one.getUri())).insertOne({ n: 1 })
    expect(await items(await connect(two.getUri())).countDocuments()).toBe(0)
  })

  it('goes through the states, with an event for each', async () => {
    const server = new MongoMemoryServer()
    const states: string[] = []
    server.on('stateChange', (state) => states.push(state))
    expect([server.state, server.instanceInfo]).toEqual(['new', undefined])
    expect(await server.stop()).toBe(false)
    await server.start()
    expect(await server.stop()).toBe(true)
    await server.start()
    expect(await server.stop({ doCleanup: false })).toBe(true)
    await server.cleanup({ doCleanup: false })
    expect(server.instanceInfo).toBeDefined()
    await server.cleanup()
    const round = ['starting', 'running', 'stopped', 'new']
    expect(states).toEqual([...round, ...round])
    expect(server.instanceInfo).toBeUndefined()
  })

  it('starts once for callers of ensureInstance that come together', async () => {
    const server = new MongoMemoryServer()
    cleanups.push(() => server.stop())
    const [first, second] = await Promise.all([server.ensureInstance(), server.ensureInstance()])
    expect(first).toEqual(second)
    expect(await server.ensureInstance()).toEqual(first)
  })

  it('reports a failed start to each caller of ensureInstance', async () => {
    const server = new MongoMemoryServer({
      instance: { port: await takenPort(), portGeneration: false },
    })
    const results = await Promise.allSettled([server.ensureInstance(), server.ensureInstance()])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(String(Reflect.get(results[0] ?? {}, 'reason'))).toMatch(/cannot listen on port/)
    expect(String(Reflect.get(results[1] ?? {}, 'reason'))).toMatch(/the start has failed/)
    expect(server.state).toBe('stopped')
    expect(await server.stop()).toBe(false)
  })

  it.each([
    ['getUri', (server: MongoMemoryServer) => server.getUri(), "'new', it must be 'running'"],
    ['cleanup', (server: MongoMemoryServer) => server.cleanup(), "'new', it must be 'stopped'"],
  ])('rejects %s in another state', async (_name, call, message) => {
    await expect(async () => call(new MongoMemoryServer())).rejects.toThrow(message)
  })

  it('rejects a second start', async () => {
    const server = await start()
    await expect(server.start()).rejects.toThrow("'running', it must be 'new' or 'stopped'")
  })

  it('uses the configured port, and another one when it is taken', async () => {
    const port = await takenPort()
    const server = await start({ instance: { port } })
    expect(server.instanceInfo?.port).not.toBe(port)
    expect(server.instanceInfo?.port).toBeGreaterThan(0)
  })

  it.each([
    ['portGeneration', (port: number) => start({ instance: { port, portGeneration: false } })],
    ['start(true)', (port: number) => new MongoMemoryServer({ instance: { port } }).start(true)],
  ])('fails when the port is taken with %s', async (_name, create) => {
    await expect(create(await takenPort())).rejects.toThrow(/cannot listen on port \d+/)
  })

  it('keeps the data of dbPath, at the same port, until a forced cleanup', async () => {
    const dbPath = join(temporaryFolder(), 'data')
    const server = await start({ instance: { dbPath, dbName: 'shop' } })
    await items(await connect(server.getUri())).insertOne({ n: 1 })
    const { port } = server.instanceInfo ?? {}
    await server.stop({ doCleanup: false })
    await server.start()
    expect(server.instanceInfo).toMatchObject({ port, dbPath, dbName: 'shop' })
    expect(await items(await connect(server.getUri())).countDocuments()).toBe(1)
    await server.stop()
    expect(existsSync(dbPath)).toBe(true)
    await server.start()
    expect(await items(await connect(server.getUri())).countDocuments()).toBe(1)
    await server.stop({ doCleanup: true, force: true })
    expect(existsSync(dbPath)).toBe(false)
  })

  it('rejects a folder that another server uses', async () => {
    const dbPath = temporaryFolder()
    await start({ instance: { dbPath } })
    await expect(start({ instance: { dbPath } })).rejects.toThrow(/is in use by another server/)
  })

  it('does not start again on data that is lost', async () => {
    const server = await start()
    await server.stop({ doCleanup: false })
    await expect(server.start()).rejects.toThrow(/the data was in memory and is lost/)
    await server.cleanup()
    await server.start()
    expect(server.state).toBe('running')
  })

  it('stops at the end of a block of `await using`, unless disabled', async () => {
    const stopped = await MongoMemoryServer.create()
    await stopped[Symbol.asyncDispose]()
    expect(stopped.state).toBe('new')
    const kept = await start({
      instance: { dbPath: temporaryFolder() },
      dispose: { enabled: false },
    })
    await kept[Symbol.asyncDispose]()
    expect(kept.state).toBe('running')
    const noCleanup = await start({ dispose: { cleanup: { doCleanup: false } } })
    await noCleanup[Symbol.asyncDispose]()
    expect(noCleanup.state).toBe('stopped')
  })

  it('reports the name of its replica set', async () => {
    const server = await start({ instance: { replSet: 'shop' } })
    const admin = (await connect(server.getUri())).db('admin')
    expect(await admin.command({ hello: 1 })).toMatchObject({ setName: 'shop' })
    expect(await admin.command({ replSetGetStatus: 1 })).toMatchObject({ set: 'shop' })
    expect(await admin.command({ replSetGetConfig: 1 })).toMatchObject({ config: { _id: 'shop' } })
  })

  it.each([
    [{ binary: { version: '7.0.14' } }, "'binary.version' cannot be used: there is no binary"],
    [{ spawn: { detached: true } }, "'spawn.detached' cannot be used: no process is started"],
    [
      { auth: { enable: true } },
      "'auth.enable' cannot be used: the database has no authentication",
    ],
    [{ instance: { auth: true } }, "'instance.auth' cannot be used"],
    [{ instance: { args: ['--quiet'] } }, "'instance.args' cannot be used: no process is started"],
    [{ instance: { ip: '0.0.0.0' } }, "'instance.ip' must be 127.0.0.1"],
    [{ instance: { port: 70_000 } }, "'instance.port' must be a whole number from 0 to 65535"],
    [{ instance: { replicaMemberConfig: { votes: 1 } } }, "'instance.replicaMemberConfig.votes'"],
    [{ instance: { keyfileLocation: '/key' } }, "'instance.keyfileLocation' cannot be used"],
    [
      { instance: { prot: 1 } },
      "Unknown option 'instance.prot'. Known: args, auth, dbName, dbPath",
    ],
    [{ instance: { toString: 1 } }, "Unknown option 'instance.toString'"],
    [{ port: 1 }, "Unknown option 'port'. Known: auth, binary, dispose, instance, spawn."],
  ])('rejects %j by name', async (options, message) => {
    // Options of `mongodb-memory-server` that the types here do not have.
    await expect(async () => Reflect.construct(MongoMemoryServer, [options])).rejects.toThrow(
      message,
    )
  })

  it('accepts options that say nothing or need nothing', async () => {
    const options = {
      binary: {},
      spawn: {},
      auth: { enable: false },
      instance: { args: [], auth: false, ip: 'localhost', launchTimeout: 1, port: undefined },
    }
    const server = await start(options)
    expect(server.instanceInfo).toMatchObject({ ip: 'localhost', storageEngine: 'wiredTiger' })
  })
})

describe('MongoMemoryReplSet', () => {
  async function startSet(options?: ConstructorParameters<typeof MongoMemoryReplSet>[0]) {
    const set = await MongoMemoryReplSet.create(options)
    cleanups.push(() => set.stop())
    return set
  }

  it('serves transactions and change streams', async () => {
    const set = await startSet({ replSet: { count: 3, storageEngine: 'wiredTiger' } })
    expect(set.getUri('shop')).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+\/shop\?replicaSet=testset$/)
    const client = await connect(set.getUri('shop'))
    const stream = items(client).watch()
    const change = stream.next()
    await client.withSession((session) =>
      session.withTransaction(() => items(client).insertOne({ n: 1 }, { session })),
    )
    expect(await change).toMatchObject({ operationType: 'insert' })
    await stream.close()
  })

  it('serves reads from a secondary', async () => {
    const set = await startSet()
    const client = await connect(set.getUri())
    await items(client).insertOne({ n: 1 })
    const secondary = items(client).find({}, { readPreference: 'secondary' })
    expect(await secondary.toArray()).toHaveLength(1)
  })

  it('goes through the states, with an event for each', async () => {
    const set = new MongoMemoryReplSet({ replSet: { name: 'my set' } })
    const states: string[] = []
    set.on('stateChange', (state) => states.push(state))
    await expect(set.waitUntilRunning()).rejects.toThrow(
      "'stopped', it must be 'init' or 'running'",
    )
    expect(() => set.getUri()).toThrow("'stopped', it must be 'running'")
    const started = set.start()
    await set.waitUntilRunning()
    await set.waitUntilRunning()
    await started
    expect(set.servers).toHaveLength(1)
    expect(set.getUri()).toMatch(/replicaSet=my%20set$/)
    await connect(set.getUri())
    await expect(set.start()).rejects.toThrow("'running', it must be 'stopped'")
    await expect(set.cleanup()).rejects.toThrow("'running', it must be 'stopped'")
    await set.stop({ doCleanup: false })
    await set.cleanup({ doCleanup: false })
    expect(set.servers).toHaveLength(1)
    await set.cleanup()
    expect(set.servers).toEqual([])
    await set.start()
    await set[Symbol.asyncDispose]()
    const round = ['init', 'running', 'stopped']
    expect(states).toEqual([...round, ...round])
  })

  it('uses the folder and the port of the first instance', async () => {
    const dbPath = temporaryFolder()
    const set = await startSet({ instanceOpts: [{ dbPath }] })
    await items(await connect(set.getUri())).insertOne({ n: 1 })
    await set.stop({ doCleanup: false })
    await set.start()
    expect(set.servers[0]?.instanceInfo).toMatchObject({ dbPath, replSet: 'testset' })
    expect(await items(await connect(set.getUri())).countDocuments()).toBe(1)
  })

  it('reports a failed start, also to those who wait', async () => {
    const set = new MongoMemoryReplSet({
      instanceOpts: [{ port: await takenPort(), portGeneration: false }],
    })
    const started = set.start()
    const waiting = set.waitUntilRunning()
    await expect(started).rejects.toThrow(/cannot listen on port/)
    await expect(waiting).rejects.toThrow("'stopped', it must be 'running'")
    expect(await set.stop()).toBe(true)
  })

  it.each([
    [{ binary: { version: '7.0.14' } }, "'binary.version' cannot be used: there is no binary"],
    [{ instanceOpts: [{}, {}] }, "'instanceOpts' can have one entry"],
    [{ instanceOpts: [{ args: ['-v'] }] }, "'instanceOpts[0].args' cannot be used"],
    [{ replSet: { count: 0 } }, "'replSet.count' must be at least 1"],
    [{ replSet: { auth: { enable: true } } }, "'replSet.auth.enable' cannot be used"],
    [{ replSet: { configSettings: { electionTimeoutMillis: 1 } } }, 'there are no elections'],
    [{ replSet: { args: ['-v'] } }, "'replSet.args' cannot be used"],
    [{ replSet: { ip: '::' } }, "'replSet.ip' must be 127.0.0.1"],
    [{ replset: {} }, "Unknown option 'replset'. Known: binary, instanceOpts, replSet."],
  ])('rejects %j by name', async (options, message) => {
    await expect(async () => Reflect.construct(MongoMemoryReplSet, [options])).rejects.toThrow(
      message,
    )
  })
})
