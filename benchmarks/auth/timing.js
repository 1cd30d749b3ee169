// @ts-check
// Whether time tells what an answer does not: LOG-02, LOG-09 and F-17.
import { Agent } from 'node:http'
import { password, withService } from './client.js'
import { mannWhitney, median } from './statistics.js'

const criterion = '0.40 <= AUC <= 0.60, medians within 15 %'
const warmUp = 20

/**
 * Logs in with a wrong password, at an existing and at an unknown address in turn.
 * @param {number} pairs
 * @param {{ loaded: boolean }} options - whether other logins keep half of the hashing busy
 */
export function measureLogin(pairs, { loaded }) {
  return withService({}, async (service) => {
    await service.register('known@example.org')
    const stop = loaded ? startLoad(service) : () => {}
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const login = async (/** @type {string} */ email) => {
      const begin = performance.now()
      const { status } = await service.post(agent, 'login', { email, password: 'Wrong-River-42' })
      if (status !== 401) throw new Error(`login answered ${status}`)
      return performance.now() - begin
    }
    const times = await interleave(pairs, {
      first: () => login('known@example.org'),
      second: (pair) => login(`nobody${pair}@example.org`),
    })
    stop()
    agent.destroy()
    return judge(times)
  })
}

/**
 * Registers at a new and at a taken address in turn, where the answer does not tell them apart.
 * @param {number} pairs
 */
export function measureRegister(pairs) {
  return withService({ hideRegistered: true }, async (service) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const register = async (/** @type {string} */ email) => {
      const begin = performance.now()
      const { status } = await service.post(agent, 'register', { email, password })
      if (status !== 202) throw new Error(`register answered ${status}`)
      return performance.now() - begin
    }
    await register('taken@example.org')
    const times = await interleave(pairs, {
      first: () => register('taken@example.org'),
      second: (pair) => register(`new${pair}@example.org`),
    })
    agent.destroy()
    return judge(times)
  })
}

/**
 * Neighbours in time, in changing order: whatever the machine does meets both alike.
 * @param {number} pairs
 * @param {{ first: () => Promise<number>, second: (pair: number) => Promise<number> }} calls
 */
async function interleave(pairs, { first, second }) {
  const times = { first: /** @type {number[]} */ ([]), second: /** @type {number[]} */ ([]) }
  for (let pair = -warmUp; pair < pairs; pair++) {
    const isFirst = pair % 2 === 0
    const a = isFirst ? await first() : undefined
    const b = await second(pair)
    const c = a ?? (await first())
    if (pair < 0) continue
    times.first.push(c)
    times.second.push(b)
  }
  return times
}

/** @param {{ first: number[], second: number[] }} times */
function judge({ first, second }) {
  const auc = mannWhitney(first, second)
  const medians = [median(first), median(second)]
  const difference = Math.abs((medians[0] ?? 0) - (medians[1] ?? 0)) / (medians[0] ?? 1)
  return {
    figures: {
      pairs: String(first.length),
      AUC: auc.toFixed(3),
      'medians (ms)': medians.map((time) => time.toFixed(1)).join(' and '),
    },
    criterion,
    passes: auc >= 0.4 && auc <= 0.6 && difference <= 0.15,
  }
}

/**
 * A login every 50 ms: about half of what one hashing thread does.
 * @param {import('./client.js').Service} service
 */
function startLoad(service) {
  const agent = new Agent({ keepAlive: true })
  const timer = setInterval(() => {
    void service.post(agent, 'login', { email: 'load@example.org', password }).catch(() => {})
  }, 50)
  return () => {
    clearInterval(timer)
    agent.destroy()
  }
}
