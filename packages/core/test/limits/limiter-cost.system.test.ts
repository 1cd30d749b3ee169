import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { forkSource, nextMessage } from '../fork-source.ts'
import { createMemoryCounter } from '../../src/lib/limits/counter.ts'

const passes = 20
const refusals = 100
// Close to the largest body, with as many keys as fit.
const keys = Array.from({ length: 10_000 }, (_item, index) => [`k${index}`, 0])
const largest = JSON.stringify(Object.fromEntries(keys))

describe('the cost of a limit', () => {
  let service: ChildProcess
  let url = ''

  beforeAll(async () => {
    service = forkSource(path.join(import.meta.dirname, 'posts-service.process.ts'), [], {
      env: { ...process.env, RATE_LIMIT: String(2 * passes), RATE_LIMIT_WINDOW: '1d' },
    })
    const message = await nextMessage(service)
    url = z.object({ url: z.string() }).parse(message).url
  })
  afterAll(async () => {
    service.disconnect()
    if (service.exitCode === null) await once(service, 'exit')
  })

  // Microseconds of processor time that the service spends on requests at the same time.
  async function spend(count: number, expected: number): Promise<number> {
    const before = await usage()
    const statuses = await Promise.all(Array.from({ length: count }, post))
    expect(new Set(statuses)).toEqual(new Set([expected]))
    return (await usage()) - before
  }

  async function post(): Promise<number> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body: largest })
    await response.arrayBuffer()
    return response.status
  }

  async function usage(): Promise<number> {
    service.send('cpu')
    const message = await nextMessage(service)
    return z.object({ cpu: z.number() }).parse(message).cpu
  }

  it('RL-09 is less than a tenth of a request that passes', async () => {
    await spend(passes, 200)
    const passing = (await spend(passes, 200)) / passes
    await spend(refusals, 429)
    const refused = (await spend(refusals, 429)) / refusals
    expect(refused / passing).toBeLessThan(0.1)
  })

  it('RL-09 is less than 100 MB for 200,000 clients', () => {
    const before = process.memoryUsage().rss
    const counter = createMemoryCounter({ window: 60_000 })
    for (let index = 0; index < 200_000; index++) {
      counter.hit(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`)
    }
    expect(counter.size).toBeLessThanOrEqual(100_000)
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
  })

  // To begin a walk through a map is to pass everything that was deleted since it was last rebuilt.
  it('RL-09 is not more for a new client when there are many', () => {
    let now = 0
    const counter = createMemoryCounter({ window: 1000, now: () => now })
    const walks = (['entries', 'keys', 'values', Symbol.iterator] as const).map((name) =>
      vi.spyOn(Map.prototype, name),
    )
    for (; now < 20_000; now++) counter.hit(`client ${now}`)
    const begun = walks.reduce((sum, { mock }) => sum + mock.calls.length, 0)
    vi.restoreAllMocks()
    expect(counter.size).toBeLessThanOrEqual(1001)
    expect(begun).toBeLessThan(10)
  })
})
