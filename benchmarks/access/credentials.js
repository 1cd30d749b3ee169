// @ts-check
// What a request with an API key costs, against one with an access token: over HTTP, with the embedded database, in one
// process, so that the CPU time is that of client, service and database. Strict sessions: both read two documents.
//   taskset -c 2 npx tsx --conditions=@create-api/source benchmarks/access/credentials.js
import { Agent, get as request } from 'node:http'
import { createApi, createRegistry, createRouter, get, success } from '@create-api/core'
import { createTestClient } from '@create-api/core/testing'

const rounds = Number(process.argv[2] ?? 40)
const requests = 500

const handler = (_req, res) => success(res, { ok: true })
const api = createApi({
  name: 'credentials',
  environment: 'test',
  routes: createRegistry().use(
    '/api',
    createRouter([
      get('/public', { access: 'public' }, handler),
      get('/user', { access: 'user' }, handler),
    ]),
  ),
  // The limit of keys counts, and is never reached.
  auth: { apiKeys: {}, limits: { perKey: { limit: 1_000_000_000, window: '1m' } } },
  rateLimit: false,
})
const client = await createTestClient(api)
const user = await client.signUp()
const key = await client.createKey(user, ['user'])
const agent = new Agent({ keepAlive: true })

/** @param {string} path @param {object} headers */
function send(path, headers) {
  return new Promise((resolve, reject) => {
    request(`${client.url}${path}`, { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`))
      response.resume().once('end', resolve)
    }).once('error', reject)
  })
}

/** @param {string} path @param {object} headers @param {number} width */
async function measure(path, headers, width) {
  const start = process.cpuUsage()
  const began = performance.now()
  for (let sent = 0; sent < requests; sent += width) {
    await Promise.all(Array.from({ length: width }, () => send(path, headers)))
  }
  const { user: busy, system } = process.cpuUsage(start)
  return { cpu: (busy + system) / requests, wall: ((performance.now() - began) * 1000) / requests }
}

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

for (const width of [1, 10]) {
  const kinds = {
    'no caller': { path: '/api/public', headers: {} },
    'access token': { path: '/api/user', headers: user.headers },
    'API key': { path: '/api/user', headers: key.headers },
  }
  const figures = Object.entries(kinds).map(([name, { path, headers }]) => ({
    name,
    run: () => measure(path, headers, width),
    rows: [],
  }))
  // Interleaved, so that a disturbance of the machine meets all of them.
  for (let round = 0; round <= rounds; round++) {
    for (const { run, rows } of figures) {
      const row = await run()
      if (round > 0) rows.push(row)
    }
  }
  console.log(`${width} at a time, median of ${rounds} rounds of ${requests} requests`)
  const token = figures[1]?.rows ?? []
  for (const { name, rows } of figures) {
    const [cpu, wall] = [median(rows.map((row) => row.cpu)), median(rows.map((row) => row.wall))]
    const ratio = median(rows.map((row, at) => row.cpu / token[at].cpu))
    console.log(
      `${name.padEnd(14)} CPU ${cpu.toFixed(0)} µs, time ${wall.toFixed(0)} µs, CPU against the access token × ${ratio.toFixed(2)}`,
    )
  }
}
agent.destroy()
await client.stop()
