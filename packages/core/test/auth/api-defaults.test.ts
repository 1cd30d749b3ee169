import { randomBytes } from 'node:crypto'
import request from 'supertest'
import { afterEach, describe, expect, it } from 'vitest'
import { type ApiConfig } from '../../src/lib/settings/api-options.ts'
import { type Api, createApi } from '../../src/lib/create-api.ts'
import { createRegistry } from '../../src/lib/routing/registry.ts'
import { password } from './auth-fixture.ts'

const base = '/api/v1/auth'
const secrets = [randomBytes(32).toString('base64')]
let api: Api
let log = ''

async function start(config: Partial<ApiConfig>): Promise<void> {
  log = ''
  api = createApi({
    routes: createRegistry(),
    log: { level: 'info', format: 'json', stream: { write: (text) => void (log += text) } },
    accessLog: { format: false },
    server: { drainDelay: 0 },
    database: { uri: 'embedded:memory', name: `defaults_${randomBytes(4).toString('hex')}` },
    ...config,
  })
  await api.start({ port: 0, signals: false })
}

afterEach(async () => {
  await api.stop()
})

function post(path: string, body: object): request.Test {
  return request(api.app)
    .post(base + path)
    .send(body)
}

describe('authentication in createApi', () => {
  it('LOG-04 has its unique index before the first request', async () => {
    await start({ auth: { secrets } })
    const calls = Array.from({ length: 6 }, () =>
      post('/register', { email: 'ada@x.io', password }),
    )
    const statuses = (await Promise.all(calls)).map(({ status }) => String(status))
    expect(statuses.toSorted()).toEqual(['201', '409', '409', '409', '409', '409'])
  })

  it('responds the same in production without a mail server, and logs a warning', async () => {
    await start({ environment: 'production', auth: { secrets } })
    await post('/register', { email: 'ada@x.io', password }).expect(201)
    const known = await post('/forgot-password', { email: 'ada@x.io' }).expect(204)
    const unknown = await post('/forgot-password', { email: 'bob@x.io' }).expect(204)
    expect(Object.keys(known.headers)).toEqual(Object.keys(unknown.headers))
    await post('/resend-verification', { email: 'ada@x.io' }).expect(204)
    await post('/reset-password', { token: 'x'.repeat(43), password: 'Another-River-42' }).expect(
      401,
    )
    // Lines are written after the responses.
    for (const line of [
      'SMTP_URL is not set: no e-mail is sent',
      'There is no mail server: set SMTP_URL, MAIL_FROM and APP_URL.',
    ]) {
      await expect.poll(() => log).toContain(line)
    }
  })

  it('has no e-mail routes when e-mail is switched off', async () => {
    await start({ environment: 'production', auth: { secrets, mail: false } })
    await post('/forgot-password', { email: 'ada@x.io' }).expect(404)
    expect(log).not.toContain('SMTP_URL')
  })
})
