import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MongoClient } from 'mongodb'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltPackage, buildPackage } from './built.ts'
import { temporaryFolder } from './fresh-server.ts'

const execute = promisify(execFile)
const children: ChildProcess[] = []
let built: BuiltPackage

beforeAll(() => {
  built = buildPackage()
})

afterAll(() => built.remove())

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

let scripts = 0

// Runs code in a process that has the built package as CommonJS, and expects it to end by itself.
async function run(code: string, folder = built.folder): Promise<string> {
  scripts += 1
  const script = join(folder, `script-${scripts}.cjs`)
  writeFileSync(
    script,
    `const { MongoMemoryServer, MongoMemoryReplSet, startEmbeddedMongo } = require('${folder}/index.cjs')
    const { MongoClient } = require('mongodb')
    const print = (value) => process.stdout.write(JSON.stringify(value) + '\\n')
    ;(async () => { ${code} })()`,
  )
  const { stdout } = await execute(process.execPath, [script])
  return stdout
}

describe('the built package', () => {
  it('serves the databases in memory of a process from one thread, which ends with them', async () => {
    const output = await run(`
      const threads = () => require('node:fs').readdirSync('/proc/self/task').length
      const first = await MongoMemoryServer.create()
      const one = threads()
      const more = await Promise.all(Array.from({ length: 15 }, () => MongoMemoryServer.create()))
      const sixteen = threads()
      const counts = await Promise.all([first, ...more].map(async (server, n) => {
        const client = await MongoClient.connect(server.getUri())
        const items = client.db().collection('items')
        await items.insertMany(Array.from({ length: n + 1 }, () => ({ n })))
        const count = await items.countDocuments()
        await client.close()
        return count
      }))
      await Promise.all([first, ...more].map((server) => server.stop()))
      const again = await MongoMemoryServer.create()
      await again.stop()
      print({ same: one === sixteen, counts, state: again.state })
    `)
    const counts = Array.from({ length: 16 }, (_, n) => n + 1)
    expect(JSON.parse(output)).toEqual({ same: true, counts, state: 'new' })
  })

  it('starts and stops many servers in any order', async () => {
    const output = await run(`
      let wrong = 0
      await Promise.all(Array.from({ length: 8 }, async (_, worker) => {
        for (let round = 0; round < 40; round += 1) {
          const server = await MongoMemoryServer.create()
          if (round % 10 === worker) {
            const client = await MongoClient.connect(server.getUri())
            if (await client.db().collection('items').countDocuments() !== 0) wrong += 1
            await client.db().collection('items').insertOne({ round })
            await client.close()
          }
          await server.stop()
        }
      }))
      print(wrong)
    `)
    expect(output).toBe('0\n')
  })

  it('reports a failed start, and serves the others of the thread', async () => {
    const output = await run(`
      const one = await MongoMemoryServer.create()
      const { port } = one.instanceInfo
      const error = await MongoMemoryServer.create({ instance: { port, portGeneration: false } }).catch((e) => e)
      const two = await MongoMemoryServer.create()
      print([error.message, one.state, two.state])
      await one.stop()
      await two.stop()
    `)
    expect(JSON.parse(output)).toEqual([
      expect.stringMatching(/cannot listen on port \d+: .+ Use another port/),
      'running',
      'running',
    ])
  })

  it('rejects a folder that another server of the process uses', async () => {
    const output = await run(`
      const instance = { dbPath: '${temporaryFolder()}' }
      const one = await MongoMemoryServer.create({ instance })
      print(await MongoMemoryServer.create({ instance }).catch((error) => error.message))
      await one.stop()
    `)
    expect(output).toContain('is in use by another server or process.')
  })

  it('ends a process that has stopped nothing', async () => {
    const output = await run(`
      const [server, set] = [await MongoMemoryServer.create(), await MongoMemoryReplSet.create()]
      print([server.state, set.state])
    `)
    expect(JSON.parse(output)).toEqual(['running', 'running'])
  })

  it('survives a thread that fails', async () => {
    const folder = join(built.folder, 'failing')
    for (const name of ['index.cjs', 'worker.cjs']) {
      cpSync(join(built.folder, name), join(folder, name))
    }
    appendFileSync(
      join(folder, 'worker.cjs'),
      "\nsetTimeout(() => { throw new Error('bad') }, 300)",
    )
    const output = await run(
      `
      const messages = []
      const onMessage = (text) => messages.push(text)
      const mongo = await startEmbeddedMongo({ storage: { directory: '${temporaryFolder()}' }, onMessage })
      const server = await MongoMemoryServer.create()
      await new Promise((resolve) => setTimeout(resolve, 1000))
      await mongo.stop()
      await server.stop()
      const next = await MongoMemoryServer.create()
      print({ last: messages.at(-1), state: next.state })
      await next.stop()
    `,
      folder,
    )
    expect(JSON.parse(output)).toEqual({
      last: 'The embedded database has stopped: bad',
      state: 'running',
    })
  })
})

describe('embedded-mongo serve', () => {
  async function serve(...args: string[]) {
    const bin = join(built.folder, 'embedded-mongo.js')
    const child = spawn(process.execPath, [bin, 'serve', ...args], { stdio: 'pipe' })
    children.push(child)
    const seen = { out: '', error: '' }
    child.stdout.on('data', (chunk) => (seen.out += chunk))
    child.stderr.on('data', (chunk) => (seen.error += chunk))
    const exited = once(child, 'close').then(([code]) => ({ code, ...seen }))
    await Promise.race([once(child.stdout, 'data'), exited])
    const uri = /mongodb:\S+/.exec(seen.out)?.[0] ?? ''
    const stop = (signal: NodeJS.Signals) => {
      child.kill(signal)
      return exited
    }
    return { uri, stop, exited, seen }
  }

  it.each(['SIGINT', 'SIGTERM'] as const)('serves in memory until %s', async (signal) => {
    const { uri, stop } = await serve('--port', '0')
    const client = await MongoClient.connect(uri)
    await client.db().collection('items').insertOne({ n: 1 })
    await client.close()
    const { code, out, error } = await stop(signal)
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(out).toMatch(
      /^Embedded database \(not MongoDB\): mongodb:\/\/127\.0\.0\.1:\d+\/app\S+\n/,
    )
    expect(out).toMatch(/In memory\. Ctrl-C stops it\.\n$/)
  })

  it('keeps the data of a folder', async () => {
    const folder = temporaryFolder()
    for (const n of [0, 1]) {
      const { uri, stop, seen } = await serve('--port', '0', '--data', folder)
      const client = await MongoClient.connect(uri)
      expect(await client.db().collection('items').countDocuments()).toBe(n)
      await client.db().collection('items').insertOne({ n })
      await client.close()
      await stop('SIGTERM')
      expect(seen.out).toContain(`Data in ${folder}. Ctrl-C stops it.`)
    }
  })

  it('names the process that serves the folder', async () => {
    const folder = temporaryFolder()
    const first = await serve('--port', '0', '--data', folder)
    const second = await (await serve('--port', '0', '--data', folder)).exited
    expect(second).toMatchObject({ code: 1, out: '' })
    expect(second.error).toContain(
      `is served by another process. Stop it, or connect to it: ${first.uri}`,
    )
  })

  it.each([
    [['--port', 'abc'], "'port' must be a whole number from 0 to 65535"],
    [['--port', ''], "'port' must be a whole number from 0 to 65535"],
    [['--prot', '1'], "Unknown option '--prot'"],
    [['--data', '/dev/null/folder'], 'The data folder /dev/null/folder cannot be used'],
  ])('rejects %j', async (args, message) => {
    const { code, out, error } = await (await serve('--port', '0', ...args)).exited
    expect(out).toBe('')
    expect(error).toContain(message)
    expect(code).toBeGreaterThan(0)
  })

  it('rejects a port that is taken', async () => {
    const { uri } = await serve('--port', '0')
    const port = /:(\d+)\//.exec(uri)?.[1] ?? ''
    const { error } = await (await serve('--port', port)).exited
    expect(error).toContain(`cannot listen on port ${port}`)
  })
})
