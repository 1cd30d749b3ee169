import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo } from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { forkSource, nextMessage } from '../fork-source.ts'

interface Running {
  readonly child: ChildProcess
  readonly port: number
}

const tokens = z.object({
  data: z.object({ accessToken: z.string(), refreshToken: z.string() }),
})
const [before, after] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
let database: Awaited<ReturnType<typeof startEmbeddedMongo>>
let running: Running[]
let turn = 0

// Sends each request to the next process.
const proxy = createServer((req, res) => {
  const { port } = running[turn++ % running.length] ?? {}
  const { headers, method, url } = req
  const onward = request({ host: '127.0.0.1', port, path: url, method, headers }, (response) => {
    response.pipe(res.writeHead(response.statusCode ?? 502, response.headers))
  })
  onward.on('error', () => res.writeHead(502).end())
  req.pipe(onward)
})

beforeEach(async () => {
  database = await startEmbeddedMongo({ storage: { memory: true } })
  running = await Promise.all([1, 2, 3].map(() => start([before])))
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
})

afterEach(async () => {
  proxy.close()
  await Promise.all(running.map(stop))
  await database.stop()
})

async function start(secrets: readonly string[]): Promise<Running> {
  const input = { uri: database.uri, dbName: 'rotation', hashed: false, secrets }
  const child = forkSource(path.join(import.meta.dirname, 'auth-process.ts'), [
    JSON.stringify(input),
  ])
  return { child, ...z.object({ port: z.number() }).parse(await nextMessage(child)) }
}

async function stop({ child }: Running): Promise<void> {
  const ended = once(child, 'exit')
  child.disconnect()
  await ended
}

function call(route: string, init: RequestInit): Promise<Response> {
  const { port } = proxy.address() as AddressInfo
  return fetch(`http://127.0.0.1:${port}/api/v1/auth/${route}`, init)
}

async function post(route: string, body: object): Promise<z.infer<typeof tokens>['data']> {
  const headers = { 'content-type': 'application/json' }
  const response = await call(route, { method: 'POST', headers, body: JSON.stringify(body) })
  return tokens.parse(await response.json()).data
}

// The statuses of a session that lasts through the replacement of one process after the other.
async function rollOut(secrets: readonly string[], refreshToken: string) {
  const statuses = new Set<number>()
  let token = refreshToken
  for (let index = 0; index < 3; index++) {
    const old = running[index]
    running[index] = await start(secrets)
    if (old) await stop(old)
    // Each process refreshes once, and each accepts what each has signed.
    for (let round = 0; round < 3; round++) {
      const grant = await post('refresh-token', { refreshToken: token })
      token = grant.refreshToken
      const headers = { authorization: `Bearer ${grant.accessToken}` }
      for (let again = 0; again < 3; again++) statuses.add((await call('me', { headers })).status)
    }
  }
  return { token, statuses: [...statuses] }
}

it('TOK-09 a secret that is first accepted and then signs logs no user out while processes are replaced', async () => {
  const user = { email: 'ada@x.io', password: 'TestRiver42!' }
  let { refreshToken } = await post('register', user)
  for (const secrets of [[before, after], [after, before], [after]]) {
    const { statuses, token } = await rollOut(secrets, refreshToken)
    expect(statuses).toEqual([200])
    refreshToken = token
  }
})
