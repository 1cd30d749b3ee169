import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collection } from './collection.ts'
import { runSteps } from './run-steps.ts'

const example = path.resolve('examples/own-shapes')
const database = await startEmbeddedMongo({ storage: { memory: true } })
afterAll(() => database.stop())

// As a user starts it, with the limits that it has.
function start(version: string): ChildProcess {
  const file = `src/${version}/server.ts`
  const uri = new URL(database.uri)
  uri.pathname = version
  const args = ['--import', 'tsx', '--conditions=@create-api/source', file]
  return spawn(process.execPath, args, {
    cwd: example,
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      MONGODB_URI: uri.href,
      JWT_SECRET: randomBytes(32).toString('base64url'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function readUrl(service: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    service.stdout?.on('data', (chunk) => {
      text += String(chunk)
      const [, port] = /http:\/\/[^:\s]+:(\d+)/u.exec(text) ?? []
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`)
    })
    service.once('exit', () => reject(new Error(`The service has not started: ${text}`)))
  })
}

describe.each(['with-core', 'by-hand'])('the started service %s', (version) => {
  let service: ChildProcess
  let url: string

  beforeAll(async () => {
    service = start(version)
    url = await readUrl(service)
  })
  afterAll(async () => {
    service.kill()
    await once(service, 'exit')
  })

  it.each(Object.entries(collection))(
    'keeps the contract of RealWorld: %s',
    async (_name, steps) => {
      expect(steps.length).toBeGreaterThan(4)
      await runSteps(url, steps)
    },
  )
})
