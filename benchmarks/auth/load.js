// @ts-check
// Logins that saturate, and what they do to the health route; a storm of refreshes.
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { password, withService } from './client.js'
import { quantile } from './statistics.js'

/**
 * 128 clients log in as fast as they are answered.
 * @param {number} seconds
 */
export function measureLoad(seconds) {
  return withService({}, async (service) => {
    const agent = new Agent({ keepAlive: true })
    const health = new Agent({ keepAlive: true, maxSockets: 1 })
    const emails = Array.from({ length: 16 }, (_, index) => `user${index}@example.org`)
    for (const email of emails) await service.register(email)
    const idle = await sampleHealth(service, { agent: health, seconds: 2 })
    /** @type {Map<number, number>} */
    const statuses = new Map()
    const end = performance.now() + seconds * 1000
    const clients = Array.from({ length: 128 }, async (_, index) => {
      while (performance.now() < end) {
        const { status } = await service.post(agent, 'login', {
          email: emails[index % 16],
          password,
        })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status === 503) await wait(100)
      }
    })
    const busy = await sampleHealth(service, { agent: health, seconds })
    await Promise.all(clients)
    agent.destroy()
    health.destroy()
    const others = [...statuses].filter(([status]) => status !== 200 && status !== 503)
    return {
      figures: {
        'logins per second': ((statuses.get(200) ?? 0) / seconds).toFixed(1),
        'shed (503) per second': ((statuses.get(503) ?? 0) / seconds).toFixed(1),
        'other answers': String(others.length),
        'health p50 / p99, idle (ms)': `${idle.p50} / ${idle.p99}`,
        'health p50 / p99, under logins (ms)': `${busy.p50} / ${busy.p99}`,
      },
      criterion: 'p99 of the health route < 250 ms, no answers but 200 and 503',
      passes: Number(busy.p99) < 250 && others.length === 0,
    }
  })
}

/**
 * F-03a: so many refreshes of one token at the same time.
 * @param {number} size
 */
export function measureStorm(size) {
  return withService({}, async (service) => {
    const { refreshToken } = await service.register('ada@example.org')
    const agent = new Agent({ keepAlive: true })
    /** @type {number[]} */
    const times = []
    const begin = performance.now()
    const answers = await Promise.all(
      Array.from({ length: size }, async () => {
        const answer = await service.post(agent, 'refresh-token', { refreshToken })
        times.push(performance.now() - begin)
        return answer
      }),
    )
    agent.destroy()
    const given = answers.filter(({ status }) => status === 200)
    const tokens = new Set(given.map(({ text }) => JSON.parse(text).data.refreshToken))
    const others = answers.filter(({ status }) => ![200, 401, 409].includes(status))
    const p99 = quantile(times, 0.99)
    return {
      figures: {
        refreshes: String(size),
        'answers 200 / 401 / 409': [200, 401, 409]
          .map((wanted) => answers.filter(({ status }) => status === wanted).length)
          .join(' / '),
        'other answers': [...new Set(others.map(({ status, text }) => `${status} ${text}`))]
          .slice(0, 3)
          .join(', '),
        'different new tokens': String(tokens.size),
        'p99 (ms)': p99.toFixed(0),
      },
      criterion: 'only 200, 401 and 409, at most one new token, p99 < 2 s',
      passes: others.length === 0 && tokens.size <= 1 && p99 < 2000,
    }
  })
}

/**
 * @param {import('./client.js').Service} service
 * @param {{ agent: Agent, seconds: number }} options
 */
async function sampleHealth(service, { agent, seconds }) {
  const times = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const begin = performance.now()
    await service.live(agent)
    times.push(performance.now() - begin)
    await wait(5)
  }
  return { p50: quantile(times, 0.5).toFixed(1), p99: quantile(times, 0.99).toFixed(1) }
}
