import { createApi, createRegistry } from '@create-api/core'
import { networkInterfaces } from 'node:os'
import { expect, it } from 'vitest'

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((network) => network?.address === '::1')

it.skipIf(!hasIpv6)('serves IPv6 and IPv4 with HOST=::, and counts a client once', async () => {
  const addresses: string[] = []
  const api = createApi({
    routes: createRegistry(),
    auth: false,
    database: false,
    environment: 'test',
    server: { host: '::', port: 0 },
    rateLimit: { limit: 2 },
    accessLog: {
      format: 'json',
      stream: { write: (line) => void addresses.push(JSON.parse(line).ip) },
    },
  })
  const { url } = await api.start()
  try {
    const { port } = new URL(url)
    const call = async (host: string): Promise<number> =>
      (await fetch(`http://${host}:${port}/api/nothing`)).status
    expect(await call('127.0.0.1')).toBe(404)
    expect(await call('[::1]')).toBe(404)
    expect(await call('[::ffff:127.0.0.1]')).toBe(404)
    expect(await call('127.0.0.1')).toBe(429)
    const mapped = '::ffff:127.0.0.1'
    expect(addresses).toEqual([mapped, '::1', mapped, mapped])
  } finally {
    await api.stop()
  }
})
