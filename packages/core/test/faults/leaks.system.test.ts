import { afterAll, describe, expect, it } from 'vitest'
import { call } from './client.ts'
import { startHurtDatabase } from './database.ts'
import { killServices, startService } from './service-process.ts'
import { createTraffic, type Traffic } from './traffic.ts'

// Enough to see a request that is kept; `npm run source -- packages/core/test/faults/soak.ts` sees less than that.
const warmUp = 400
const requests = 600
const mostOfEach = 3000

afterAll(killServices)

async function send(traffic: Traffic, count: number): Promise<void> {
  const end = traffic.sent + count
  const strands = Array.from({ length: 8 }, async () => {
    while (traffic.sent < end) await traffic.next()
  })
  await Promise.all(strands)
}

describe('a service under mixed load', () => {
  it('AVL-09 keeps nothing of a request that is done, and no handle', async () => {
    const database = await startHurtDatabase()
    const service = await startService({ MONGODB_URI: database.uri, TRUST_PROXY: '1' })
    const traffic = await createTraffic(service.url, 100)
    const look = async (): Promise<{ heap: number; handles: number }> => {
      const { data: { handles } = {} } = await call(`${service.url}/api/trouble/pid`)
      const { data: { heap } = {} } = await call(`${service.url}/api/trouble/heap`)
      return { heap: Number(heap), handles: Number(handles) }
    }
    await send(traffic, warmUp)
    const before = await look()
    await send(traffic, requests)
    const after = await look()
    service.child.kill('SIGTERM')
    await service.exit
    await database.stop()
    expect(traffic.unexpected).toEqual({})
    expect((after.heap - before.heap) / requests).toBeLessThan(mostOfEach)
    expect(Math.abs(after.handles - before.handles)).toBeLessThanOrEqual(5)
  })
})
