import { once } from 'node:events'
import path from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { forkSource, nextMessage } from '../../../packages/core/test/fork-source.ts'
import { findFreePort } from '../../../packages/core/test/free-port.ts'
import { parseExposition, valueOf } from './exposition.ts'

it('metrics of several workers are added up', async () => {
  const port = await findFreePort()
  const service = forkSource(path.join(import.meta.dirname, 'workers.process.ts'), [], {
    env: { ...process.env, METRICS_PORT: String(port) },
  })
  const { url } = z.object({ url: z.string() }).parse(await nextMessage(service))
  for (let round = 0; round < 20; round++) {
    // A separate connection, so that both workers get some.
    const response = await fetch(`${url}/health/live`, { headers: { Connection: 'close' } })
    await response.arrayBuffer()
  }
  const scrape = await fetch(`http://127.0.0.1:${port}/metrics`, {
    headers: { Connection: 'close' },
  })
  const samples = parseExposition(await scrape.text())
  const labels = { route: '/health/live', status: '200' }
  expect(valueOf(samples, 'http_request_duration_seconds_count', labels)).toBe(20)
  expect(valueOf(samples, 'process_resident_memory_bytes')).toBeGreaterThan(0)
  service.disconnect()
  await once(service, 'exit')
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow()
})
