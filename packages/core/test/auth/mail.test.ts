import { createServer, type Server } from 'node:net'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type SignInFeature } from '../../src/lib/auth/sign-in/sign-in.ts'
import {
  createOutboxMailer,
  createSmtpMailer,
  type Mail,
  type Mailer,
} from '../../src/lib/auth/mail/mailer.ts'
import {
  createClient,
  createTestService,
  password,
  startTestDatabase,
  type TestClient,
  type TestDatabase,
  type TestService,
} from './auth-fixture.ts'

const other = 'Another-River-42'
let database: TestDatabase
let service: TestService
let client: TestClient
let time = Date.UTC(2100, 0, 1)
const mails: Mail[] = []
const mailer: Mailer = {
  async send(mail) {
    mails.push(mail)
  },
}

beforeAll(async () => {
  database = await startTestDatabase()
})
beforeEach(async () => {
  mails.length = 0
  time += 86_400_000
  await database.clear()
  service = await createTestService(database.connection, {
    now: () => time,
    mail: { mailer, appUrl: 'https://app.example.com' },
  })
  client = createClient(service.app)
})
afterAll(() => database.stop())

async function takeToken(kind: Mail['kind']): Promise<string> {
  await service.auth.stop()
  const mail = mails.findLast((sent) => sent.kind === kind)
  const link = new URL(mail?.link ?? '')
  expect(mail?.text).toContain(link.href)
  return link.searchParams.get('token') ?? ''
}

async function requestReset(email = 'ada@x.io'): Promise<string> {
  await client.post('/forgot-password', { email }).expect(204)
  return takeToken('reset-password')
}

describe('forgot-password and reset-password', () => {
  it('sets a new password by a link, and revokes every session', async () => {
    const before = await client.register('ada@x.io')
    const token = await requestReset()
    expect(mails.at(-1)).toMatchObject({
      to: 'ada@x.io',
      link: `https://app.example.com/reset-password?token=${token}`,
    })
    await client.post('/reset-password', { token, password: other }).expect(204)
    await client.me(before.accessToken).expect(401)
    await client.refresh(before.refreshToken).expect(401)
    await client.post('/login', { email: 'ada@x.io', password }).expect(401)
    expect((await client.login('ada@x.io', other)).user).toMatchObject({ emailVerified: true })
  })

  it('accepts a link once, within the hour, and only the newest', async () => {
    await client.register('ada@x.io')
    const first = await requestReset()
    const second = await requestReset()
    const reset = (token: string): ReturnType<TestClient['post']> =>
      client.post('/reset-password', { token, password: other })
    expect((await reset(first).expect(401)).body.code).toBe('invalid_token')
    await reset(second).expect(204)
    await reset(second).expect(401)
    const third = await requestReset()
    time += 3_600_001
    await reset(third).expect(401)
  })

  it('accepts one of many concurrent uses of a link', async () => {
    await client.register('ada@x.io')
    const token = await requestReset()
    const calls = Array.from({ length: 5 }, (_, index) =>
      client.post('/reset-password', { token, password: `Another-River-4${index}` }),
    )
    const statuses = (await Promise.all(calls)).map(({ status }) => String(status))
    expect(statuses.toSorted()).toEqual(['204', '401', '401', '401', '401'])
  })

  it('revokes the API keys of a user whose address was not verified before, and no others', async () => {
    const mail = { mailer, appUrl: 'https://app.example.com' }
    const options = { now: () => time, mail, apiKeys: {} }
    service = await createTestService(database.connection, options)
    client = createClient(service.app)
    const { user } = await client.register('ada@x.io')
    const counts = []
    for (const round of [1, 2]) {
      await service.auth.apiKeys.create(user.id, { name: 'ci', scopes: ['user'] })
      const input = { token: await requestReset(), password: `Another-River-4${round}` }
      await client.post('/reset-password', input).expect(204)
      counts.push((await service.auth.apiKeys.list(user.id)).length)
    }
    expect(counts).toEqual([0, 1])
  })

  it('removes other ways to log in if the address was not verified before', async () => {
    const removed: string[] = []
    const signIn: SignInFeature = {
      services: [],
      create: () => ({
        services: new Map(),
        routes: [],
        loginErrors: [],
        proofErrors: [],
        async beforeSession() {},
        async beforeProof() {},
        async requireFactor() {},
        async endLogins() {},
        async removeWays(userId) {
          removed.push(userId)
        },
        async removeUser() {},
        observe() {},
      }),
    }
    const mail = { mailer, appUrl: 'https://app.example.com' }
    service = await createTestService(database.connection, { now: () => time, mail, signIn })
    client = createClient(service.app)
    const { user } = await client.register('ada@x.io')
    for (const round of [1, 2]) {
      const token = await requestReset()
      const input = { token, password: `Another-River-4${round}` }
      await client.post('/reset-password', input).expect(204)
    }
    expect(removed).toEqual([user.id])
  })

  it('keeps the link when the new password is rejected', async () => {
    await client.register('ada@x.io')
    const token = await requestReset()
    await client.post('/reset-password', { token, password: 'password' }).expect(422)
    await client.post('/reset-password', { token, password: other }).expect(204)
  })

  it('REF-06 stores only a digest of the link', async () => {
    await client.register('ada@x.io')
    const token = await requestReset()
    const kept = await database.connection.collection('mailtokens').find({}).toArray()
    expect(kept).toHaveLength(2)
    expect(JSON.stringify(kept)).not.toContain(token)
  })

  it('returns the same for an unknown address, and sends nothing', async () => {
    await client.post('/forgot-password', { email: 'stranger@x.io' }).expect(204)
    await service.auth.stop()
    expect(mails).toEqual([])
  })

  it('LOG-07 ends the throttle of an account under attack', async () => {
    const limits = { perAccount: { limit: 1, window: 900 } }
    const limited = await createTestService(database.connection, {
      now: () => time,
      limits,
      mail: { mailer, appUrl: 'https://app.example.com' },
    })
    client = createClient(limited.app)
    await client.register('ada@x.io')
    const login = (chosen: string): ReturnType<TestClient['post']> =>
      client
        .post('/login', { email: 'ada@x.io', password: chosen })
        .set('X-Forwarded-For', '203.0.113.7')
    await login('Wrong-River-42').expect(401)
    await login(password).expect(429)
    await client.post('/forgot-password', { email: 'ada@x.io' }).expect(204)
    await limited.auth.stop()
    const token = await takeToken('reset-password')
    await client.post('/reset-password', { token, password: other }).expect(204)
    await login(other).expect(200)
  })

  it('sends at most three e-mails an hour to one address', async () => {
    await client.register('ada@x.io')
    for (let index = 0; index < 5; index++) {
      await client.post('/forgot-password', { email: 'ada@x.io' }).expect(204)
    }
    await service.auth.stop()
    expect(mails.filter(({ kind }) => kind === 'reset-password')).toHaveLength(3)
  })

  it('links below the path of the front end, and states the lifetime', async () => {
    const own = await createTestService(database.connection, {
      mail: {
        mailer,
        appUrl: 'https://example.com/app/',
        resetPath: 'password/new',
        resetLifetime: 5400,
      },
    })
    client = createClient(own.app)
    await client.register('ada@x.io')
    await client.post('/forgot-password', { email: 'ada@x.io' }).expect(204)
    await own.auth.stop()
    const [verify, reset] = mails
    expect(verify?.link).toMatch(/^https:\/\/example\.com\/app\/verify-email\?token=/)
    expect(verify?.text).toContain('within 1 day ')
    expect(reset?.link).toMatch(/^https:\/\/example\.com\/app\/password\/new\?token=/)
    expect(reset?.text).toContain('within 90 minutes')
  })

  it('returns the same when the e-mail cannot be sent', async () => {
    const failing = await createTestService(database.connection, {
      mail: {
        mailer: { send: async () => Promise.reject(new Error('down')) },
        appUrl: 'https://app.example.com',
      },
    })
    client = createClient(failing.app)
    await client.register('ada@x.io')
    await client.post('/forgot-password', { email: 'ada@x.io' }).expect(204)
    await failing.auth.stop()
  })
})

describe('verify-email and resend-verification', () => {
  it('verifies an address by the link of registration', async () => {
    const { accessToken } = await client.register('ada@x.io')
    const token = await takeToken('verify-email')
    expect(mails[0]?.link).toBe(`https://app.example.com/verify-email?token=${token}`)
    await client.post('/verify-email', { token }).expect(204)
    expect((await client.me(accessToken)).body.data.emailVerified).toBe(true)
    await client.post('/verify-email', { token }).expect(401)
    expect(service.events.map(({ event }) => event)).toContain('auth.email_verified')
  })

  it('sends another link only to an unverified user, and returns the same for everyone', async () => {
    await client.register('ada@x.io')
    const first = await takeToken('verify-email')
    await client.post('/resend-verification', { email: 'ada@x.io' }).expect(204)
    const second = await takeToken('verify-email')
    await client.post('/verify-email', { token: first }).expect(401)
    await client.post('/verify-email', { token: second }).expect(204)
    await client.post('/resend-verification', { email: 'ada@x.io' }).expect(204)
    await client.post('/resend-verification', { email: 'stranger@x.io' }).expect(204)
    await service.auth.stop()
    expect(mails).toHaveLength(2)
  })

  it('does not accept a link of the other kind', async () => {
    await client.register('ada@x.io')
    const token = await takeToken('verify-email')
    await client.post('/reset-password', { token, password: other }).expect(401)
    await client.post('/verify-email', { token: await requestReset() }).expect(401)
  })
})

describe('hideRegistered', () => {
  it('LOG-09 returns the same for a new and a taken address, and sends an e-mail for both', async () => {
    const hidden = await createTestService(database.connection, {
      hideRegistered: true,
      mail: { mailer, appUrl: 'https://app.example.com' },
    })
    client = createClient(hidden.app)
    const body = { email: 'ada@x.io', password }
    const fresh = await client.post('/register', body).expect(202)
    await hidden.auth.stop()
    const taken = await client.post('/register', body).expect(202)
    await hidden.auth.stop()
    expect(taken.body).toEqual(fresh.body)
    expect(mails.map(({ kind }) => kind)).toEqual(['verify-email', 'already-registered'])
    await client.login('ada@x.io')
  })

  it('LOG-09 does not wait for the hook that runs only for a new address', async () => {
    let finish = (): void => {}
    const slow = new Promise<void>((resolve) => {
      finish = resolve
    })
    const hidden = await createTestService(database.connection, {
      hideRegistered: true,
      mail: { mailer, appUrl: 'https://app.example.com' },
      hooks: { afterRegister: () => slow },
    })
    client = createClient(hidden.app)
    await client.post('/register', { email: 'ada@x.io', password }).expect(202)
    finish()
    await hidden.auth.stop()
  })

  it('needs a mailer', async () => {
    await expect(createTestService(database.connection, { hideRegistered: true })).rejects.toThrow(
      'auth.hideRegistered responds by e-mail only, and none is sent: set auth.mail.smtpUrl',
    )
  })
})

describe('createOutboxMailer', () => {
  it('writes each e-mail to a separate file and prints the link', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'outbox-'))
    try {
      const directory = path.join(root, 'mail')
      const lines: string[] = []
      const outbox = createOutboxMailer({ directory, print: (line) => lines.push(line) })
      const mail = {
        kind: 'verify-email',
        to: 'ada@x.io',
        subject: 'Hello',
        text: 'Open it',
      } as const
      await outbox.send({ ...mail, link: 'https://app.example.com/?token=1' })
      await outbox.send(mail)
      const files = (await readdir(directory)).toSorted()
      expect(files).toHaveLength(2)
      const file = path.join(directory, files[0] ?? '')
      expect(await readFile(file, 'utf8')).toBe('To: ada@x.io\nSubject: Hello\n\nOpen it\n')
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      expect(lines[0]).toContain('https://app.example.com/?token=1')
    } finally {
      await rm(root, { recursive: true })
    }
  })
})

describe('createSmtpMailer', () => {
  it('sends an e-mail through an SMTP server', async () => {
    const { server, received } = await startSmtp()
    try {
      const { port } = server.address() as AddressInfo
      const smtp = createSmtpMailer({
        url: `smtp://127.0.0.1:${port}`,
        from: 'Blog <no-reply@example.com>',
      })
      await smtp.send({ kind: 'verify-email', to: 'ada@x.io', subject: 'Hello', text: 'Open it' })
      const text = received.join('')
      expect(text).toContain('RCPT TO:<ada@x.io>')
      expect(text).toContain('From: Blog <no-reply@example.com>')
      expect(text).toContain('Subject: Hello')
      expect(text).toContain('Open it')
    } finally {
      server.close()
    }
  })

  it('rejects a URL that is not an SMTP URL', () => {
    expect(() => createSmtpMailer({ url: 'http://x', from: 'a@x.io' })).toThrow(TypeError)
  })
})

// As much of RFC 5321 as receiving one e-mail needs.
async function startSmtp(): Promise<{ server: Server; received: string[] }> {
  const received: string[] = []
  const server = createServer((socket) => {
    let inData = false
    socket.write('220 test ESMTP\r\n')
    socket.on('data', (chunk) => {
      const text = chunk.toString()
      received.push(text)
      if (inData) {
        if (!text.includes('\r\n.\r\n')) return
        inData = false
        socket.write('250 kept\r\n')
      } else if (text.startsWith('DATA')) {
        inData = true
        socket.write('354 go on\r\n')
      } else socket.write(text.startsWith('QUIT') ? '221 bye\r\n' : '250 ok\r\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, received }
}
