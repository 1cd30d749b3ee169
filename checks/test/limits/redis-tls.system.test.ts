import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApi } from '../../../packages/core/src/lib/create-api.ts'
import { createRegistry } from '../../../packages/core/src/lib/routing/registry.ts'
import { createCertificate, hasOpenssl } from '../../../packages/core/test/limits/certificate.ts'
import { startLoginService, stopLoginServices } from './login-service.ts'
import { createRedisServer, hasRedis } from './redis-server.ts'

const password = 'Canary-River-42'

describe.skipIf(!hasRedis || !hasOpenssl)('limits in a Redis over TLS', async () => {
  const certificate = createCertificate()
  const redis = await createRedisServer({ certificate, password })

  beforeAll(() => redis.start())
  afterAll(async () => {
    await stopLoginServices()
    await redis.remove()
    certificate.remove()
  })

  it('RL-05 are counted where the certificate is trusted and the password is right', async () => {
    const { url, log } = await startLoginService(redis.url, {
      NODE_EXTRA_CA_CERTS: certificate.cert,
    })
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200)
    const client = createClient({
      url: redis.url,
      socket: { tls: true, ca: readFileSync(certificate.cert) },
    })
    await client.connect()
    expect(await client.keys('*')).toEqual(['logins:limit:global:127.0.0.1'])
    await client.close()
    expect(log()).not.toContain('redis is unreachable')
  })

  it('RL-07 an untrusted certificate is named in the log and delays no request', async () => {
    const lines: object[] = []
    const note = (fields: object, message: string): void => void lines.push({ ...fields, message })
    const ignore = (): void => {}
    const api = createApi({
      routes: createRegistry(),
      environment: 'test',
      auth: false,
      database: false,
      redis: { url: redis.url },
      log: { logger: { debug: ignore, info: ignore, warn: note, error: note, fatal: note } },
    })
    const { url } = await api.start({ port: 0, signals: false })
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200)
    await api.stop()
    expect(lines[0]).toMatchObject({
      message: 'redis is unreachable',
      err: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    })
    expect(inspect(lines, { depth: null })).not.toContain(password)
  })
})
