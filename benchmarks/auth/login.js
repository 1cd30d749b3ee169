// @ts-check
// How long logins take, and what they do to other routes.
//   node benchmarks/auth/login.js timing [pairs]     an existing against an unknown address
//   node benchmarks/auth/login.js load [seconds]     logins that saturate, and the health route
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const password = 'TestRiver42!'
const [mode = 'timing', size] = process.argv.slice(2)
// Its log goes nowhere, as in a service whose log is collected elsewhere.
const stdio = /** @type {const} */ (['ignore', 'ignore', 'inherit', 'ipc'])
const server = fork(fileURLToPath(new URL('server.js', import.meta.url)), { stdio: [...stdio] })
const [{ url }] = await once(server, 'message')
try {
  if (mode === 'load') await measureLoad(Number(size ?? 10))
  else await measureTiming(Number(size ?? 500))
} finally {
  server.disconnect()
}

/** @param {number} pairs */
async function measureTiming(pairs) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  await register('known@example.org')
  const known = []
  const unknown = []
  for (let pair = -20; pair < pairs; pair++) {
    // Neighbours in time, in changing order: whatever the machine does meets both alike.
    const first = pair % 2 === 0
    const a = await timeLogin(agent, first ? 'known@example.org' : `nobody${pair}@example.org`)
    const b = await timeLogin(agent, first ? `nobody${pair}@example.org` : 'known@example.org')
    if (pair < 0) continue
    known.push(first ? a : b)
    unknown.push(first ? b : a)
  }
  agent.destroy()
  const auc = mannWhitney(known, unknown)
  const medians = [median(known), median(unknown)]
  const difference = Math.abs(medians[0] - medians[1]) / medians[0]
  const passes = auc >= 0.4 && auc <= 0.6 && difference <= 0.15
  print({
    pairs,
    AUC: auc.toFixed(3),
    'median known (ms)': medians[0].toFixed(2),
    'median unknown (ms)': medians[1].toFixed(2),
    passes: `${passes} (0.40 <= AUC <= 0.60, medians within 15 %)`,
  })
  if (!passes) process.exitCode = 1
}

/** @param {number} seconds */
async function measureLoad(seconds) {
  const agent = new Agent({ keepAlive: true })
  const health = new Agent({ keepAlive: true, maxSockets: 1 })
  const emails = Array.from({ length: 16 }, (_, index) => `user${index}@example.org`)
  for (const email of emails) await register(email)
  const idle = await sampleHealth(health, 2)
  const statuses = new Map()
  const end = performance.now() + seconds * 1000
  const clients = Array.from({ length: 128 }, async (_, index) => {
    while (performance.now() < end) {
      const { status } = await post(agent, 'login', { email: emails[index % 16], password })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status === 503) await wait(100)
    }
  })
  const busy = await sampleHealth(health, seconds)
  await Promise.all(clients)
  agent.destroy()
  health.destroy()
  const passes = busy.p99 < 250
  print({
    'logins per second': ((statuses.get(200) ?? 0) / seconds).toFixed(1),
    'shed (503) per second': ((statuses.get(503) ?? 0) / seconds).toFixed(1),
    'other answers': [...statuses].filter(([status]) => status !== 200 && status !== 503).length,
    'health p50/p99 idle (ms)': `${idle.p50.toFixed(1)} / ${idle.p99.toFixed(1)}`,
    'health p50/p99 under logins (ms)': `${busy.p50.toFixed(1)} / ${busy.p99.toFixed(1)}`,
    passes: `${passes} (p99 under 250 ms)`,
  })
  if (!passes) process.exitCode = 1
}

/** @param {Agent} agent @param {number} seconds */
async function sampleHealth(agent, seconds) {
  const times = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const start = performance.now()
    await send(agent, { path: '/health/live', method: 'GET' })
    times.push(performance.now() - start)
    await wait(5)
  }
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}

/** @param {string} email */
async function register(email) {
  const { status } = await post(undefined, 'register', { email, password })
  if (status !== 201) throw new Error(`register answered ${status}`)
}

/** @param {Agent} agent @param {string} email */
async function timeLogin(agent, email) {
  const start = performance.now()
  const { status } = await post(agent, 'login', { email, password: 'Wrong-River-42' })
  if (status !== 401) throw new Error(`login answered ${status}`)
  return performance.now() - start
}

/** @param {Agent | undefined} agent @param {string} route @param {object} body */
function post(agent, route, body) {
  return send(agent, { path: `/api/v1/auth/${route}`, method: 'POST' }, JSON.stringify(body))
}

/**
 * @param {Agent | undefined} agent
 * @param {{ path: string, method: string }} target
 * @param {string} [body]
 * @returns {Promise<{ status: number }>}
 */
function send(agent, { path, method }, body) {
  return new Promise((resolve, reject) => {
    const headers = body ? { 'Content-Type': 'application/json' } : {}
    const call = request(url + path, { agent, method, headers }, (response) => {
      response.resume().on('end', () => resolve({ status: response.statusCode ?? 0 }))
    })
    call.on('error', reject)
    call.end(body)
  })
}

/**
 * The chance that one of the second list is longer than one of the first (Mann–Whitney).
 * @param {number[]} first
 * @param {number[]} second
 */
function mannWhitney(first, second) {
  let wins = 0
  for (const a of first) for (const b of second) wins += b > a ? 1 : b === a ? 0.5 : 0
  return wins / (first.length * second.length)
}

/** @param {number[]} times */
function median(times) {
  return quantile(times, 0.5)
}

/** @param {number[]} times @param {number} share */
function quantile(times, share) {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}

/** @param {Record<string, string | number>} figures */
function print(figures) {
  for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name}: ${value}\n`)
}
