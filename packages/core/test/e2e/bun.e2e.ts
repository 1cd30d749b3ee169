import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const cache = path.join(import.meta.dirname, '../../../../node_modules/.cache/bun')
const bun = installBun()
if (bun === undefined) process.stderr.write('Bun cannot be installed here: it is not tested.\n')

// Into a cache folder, outside the dependencies of the project. The package of the platform contains
// the program, so that no install script has to run.
function installBun(): string | undefined {
  mkdirSync(cache, { recursive: true })
  const flags = ['--prefix', cache, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts']
  spawnSync('npm', ['install', ...flags, 'bun@1'])
  const folder = path.join(cache, 'node_modules/@oven')
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names
    .map((name) => path.join(folder, name, 'bin/bun'))
    .find((file) => spawnSync(file, ['--version']).status === 0)
}

describe.skipIf(bun === undefined)('a service on Bun', () => {
  let child: ChildProcess
  let url: string

  beforeAll(async () => {
    const file = path.join(import.meta.dirname, 'bun.process.ts')
    child = spawn(bun ?? '', [file], { stdio: ['ignore', 'pipe', 'inherit'] })
    const lines = createInterface({ input: child.stdout ?? process.stdin })
    const [line] = await once(lines, 'line')
    url = String(line)
  })

  afterAll(() => child.kill('SIGKILL'))

  it('is ready, with the embedded database', async () => {
    const { body } = await request(url).get('/health/ready').expect(200)
    expect(body.checks['mongodb:connection']).toMatchObject([{ status: 'pass' }])
  })

  it('registers users and serves their requests', async () => {
    const user = { email: 'ada@example.org', password: 'correct horse battery staple' }
    const { body } = await request(url).post('/api/v1/auth/register').send(user).expect(201)
    const caller = { Authorization: `Bearer ${body.data.accessToken}` }
    const response = await request(url).post('/api/echo/7').set(caller).send({ text: 'hello' })
    expect(response.body).toEqual({ data: { id: '7', text: 'hello', by: user.email } })
    expect(response.headers).toMatchObject({
      'x-request-id': expect.any(String),
      'x-content-type-options': 'nosniff',
    })
  })

  it('returns problems', async () => {
    const missing = await request(url).get('/nope').expect(404)
    expect(missing.headers['content-type']).toContain('application/problem+json')
    await request(url).delete('/api/echo/7').expect(405)
    await request(url).post('/api/echo/7').send({ text: 'hello' }).expect(401)
  })

  it('stops at a signal', async () => {
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})
