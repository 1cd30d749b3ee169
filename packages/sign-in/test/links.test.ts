import { ApiError } from '@create-api/core'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { codeOf, createTestBed, enrol, password, post, register, type Service } from './fixture.ts'

const bed = createTestBed()
const links = { links: true } as const

interface Requested {
  readonly requestToken: string
  readonly token: string
  readonly code: string
}

/** Requests a login by mail, and reads the mail. */
async function requestLink(service: Service, email = 'ada@x.io'): Promise<Requested> {
  const listMails = (): Service['mails'] =>
    service.mails.filter(({ kind }) => kind === 'login-link')
  const { length } = listMails()
  const { body } = await post(service, '/login-link', { email }).expect(202)
  // The mail is sent in the background.
  await expect.poll(() => listMails().length).toBeGreaterThan(length)
  const mail = listMails().at(-1)
  const token = new URL(mail?.link ?? 'http://none').searchParams.get('token') ?? ''
  const [code = ''] = /[A-Z2-9]{4}-[A-Z2-9]{4}/.exec(mail?.text ?? '') ?? []
  return { requestToken: body.data.requestToken, token, code }
}

function complete(service: Service, input: object): request.Test {
  return post(service, '/login-link/complete', input)
}

async function verified(service: Service, email = 'ada@x.io'): Promise<string> {
  const { id } = await register(service, email)
  await service.auth.users.update(id, { emailVerified: true })
  return id
}

describe('a login by mail', () => {
  it('opens a session with the link, in the browser that requested it', async () => {
    const service = await bed.start(links)
    const id = await verified(service)
    const { requestToken, token } = await requestLink(service)
    const { body } = await complete(service, { requestToken, token }).expect(200)
    expect(body.data).toMatchObject({ user: { id }, refreshToken: expect.stringMatching(/^rt1\./) })
    await post(service, '/login', { email: 'ada@x.io', password }).expect(200)
  })

  it('opens a session with the code, in any case and with or without the hyphen', async () => {
    const service = await bed.start(links)
    await verified(service)
    for (const write of [
      (code: string) => code,
      (code: string) => code.toLowerCase().replace('-', ''),
      (code: string) => ` ${code.replace('-', ' ')} `,
    ]) {
      const { requestToken, code } = await requestLink(service)
      await complete(service, { requestToken, code: write(code) }).expect(200)
      bed.now += 3_600_000
    }
  })

  it('has the path and the lifetime of the options in its mail', async () => {
    const service = await bed.start({ links: { lifetime: '5m', path: '/enter' } })
    await verified(service)
    const { body } = await post(service, '/login-link', { email: 'ada@x.io' }).expect(202)
    expect(body.data.expiresIn).toBe(300)
    await service.auth.stop()
    const mail = service.mails.at(-1)
    expect(mail?.link).toMatch(/^https:\/\/app\.example\.com\/enter\?token=[\w-]{43}$/)
    expect(mail?.text).toContain('within 5 minutes')
  })

  it('LNK-01 works once, and ends with its time', async () => {
    const service = await bed.start(links)
    await verified(service)
    const first = await requestLink(service)
    const input = { requestToken: first.requestToken, token: first.token }
    const statuses = await Promise.all(
      Array.from({ length: 4 }, async () => (await complete(service, input)).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    const second = await requestLink(service)
    bed.now += 10 * 60_000
    const { body } = await complete(service, {
      requestToken: second.requestToken,
      code: second.code,
    }).expect(401)
    expect(body.code).toBe('invalid_token')
  })

  it('LNK-01 does not work in another browser, also if both requested one', async () => {
    const service = await bed.start(links)
    await verified(service)
    const own = await requestLink(service)
    const other = await requestLink(service)
    for (const secret of [{ token: own.token }, { code: own.code }]) {
      await complete(service, { requestToken: other.requestToken, ...secret }).expect(401)
    }
  })

  it('LNK-02 looks the same for an address that is unknown or disabled, and sends nothing', async () => {
    const service = await bed.start(links)
    const id = await verified(service)
    await service.auth.users.update(id, { disabled: true })
    service.mails.length = 0
    for (const email of ['ada@x.io', 'unknown@x.io']) {
      const { body } = await post(service, '/login-link', { email }).expect(202)
      expect(body.data).toEqual({
        requestToken: expect.stringMatching(/^[\w-]{43}$/),
        expiresIn: 600,
      })
      const code = 'ABCD-EFGH'
      const tried = await complete(service, { requestToken: body.data.requestToken, code })
      expect(tried.body.code).toBe('invalid_code')
    }
    await service.auth.stop()
    expect(service.mails).toEqual([])
  })

  it('LNK-01 has five attempts, also at the same time', async () => {
    const service = await bed.start(links)
    await verified(service)
    const { requestToken, code } = await requestLink(service)
    const guesses = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const { body } = await complete(service, { requestToken, code: 'AAAA-AAAA' })
        return body.code
      }),
    )
    expect(guesses.filter((outcome) => outcome === 'invalid_code')).toHaveLength(5)
    expect((await complete(service, { requestToken, code })).body.code).toBe('invalid_token')
  })

  it('needs the second factor of the user', async () => {
    const service = await bed.start(links)
    const { id, secret } = await enrol(bed, service)
    await service.auth.users.update(id, { emailVerified: true })
    const { requestToken, token } = await requestLink(service)
    const { body } = await complete(service, { requestToken, token }).expect(401)
    expect(body.code).toBe('second_factor_required')
    const code = codeOf(secret, bed.now)
    await post(service, '/second-factor', { token: body.token, code }).expect(200)
  })

  it('LNK-03 ends password, factors, sessions and API keys of the person who registered an address that was not verified', async () => {
    const service = await bed.start(links, { apiKeys: {} })
    const attacker = await enrol(bed, service)
    const { key } = await service.auth.apiKeys.create(attacker.id, { name: 'ci', scopes: ['user'] })
    const { requestToken, token } = await requestLink(service)
    const { body } = await complete(service, { requestToken, token }).expect(200)
    expect(body.data.user).toMatchObject({ id: attacker.id, emailVerified: true })
    await post(service, '/login', { email: 'ada@x.io', password }).expect(401)
    await expect(service.auth.apiKeys.verify(key)).rejects.toThrow()
    await request(service.app)
      .get('/api/v1/auth/me')
      .set('Authorization', `Bearer ${attacker.accessToken}`)
      .expect(401)
    await request(service.app)
      .get('/api/v1/auth/me')
      .set('Authorization', `Bearer ${body.data.accessToken}`)
      .expect(200)
  })

  it('ends with a changed address, a changed password and a removed user', async () => {
    const service = await bed.start(links)
    const changes = [
      (id: string) => service.auth.users.update(id, { email: 'new@x.io' }),
      (id: string) => service.auth.removeUser(id),
    ]
    for (const [at, change] of changes.entries()) {
      const email = `user${at}@x.io`
      const id = await verified(service, email)
      const { requestToken, token } = await requestLink(service, email)
      await change(id)
      const { body } = await complete(service, { requestToken, token }).expect(401)
      expect(body.code).toBe('invalid_token')
    }
    const { accessToken } = await register(service, 'grace@x.io')
    const { requestToken, token } = await requestLink(service, 'grace@x.io')
    const input = { currentPassword: password, newPassword: 'OtherRiver43!' }
    await post(service, '/change-password', input, accessToken).expect(200)
    await complete(service, { requestToken, token }).expect(401)
  })

  it('stores digests only', async () => {
    const service = await bed.start(links)
    await verified(service)
    const { requestToken, token, code } = await requestLink(service)
    const stored = JSON.stringify(await bed.connection().collection('loginlinks').find().toArray())
    for (const secret of [requestToken, token, code, code.replace('-', '')]) {
      expect(stored).not.toContain(secret)
    }
  })

  it('needs either the token of the link or the code', async () => {
    const service = await bed.start(links)
    const { requestToken, token, code } = {
      requestToken: 'a'.repeat(43),
      token: 'b'.repeat(43),
      code: 'ABCD-EFGH',
    }
    for (const input of [
      { requestToken },
      { requestToken, token, code },
      { requestToken, code: 'ABC' },
    ]) {
      await complete(service, input).expect(422)
    }
  })

  it('has a limit of requests for each address, and of mails for each user', async () => {
    const service = await bed.start(links, { limits: {} })
    await verified(service)
    service.mails.length = 0
    const statuses = []
    for (let count = 0; count < 12; count += 1) {
      statuses.push((await post(service, '/login-link', { email: 'ada@x.io' })).status)
    }
    expect(statuses.filter((status) => status === 429)).toHaveLength(2)
    await service.auth.stop()
    expect(service.mails).toHaveLength(3)
  })

  it('runs the hooks of a login, of which the first can reject it', async () => {
    const calls: string[] = []
    const hooks = {
      beforeLogin: ({ email }: { email: string }) => {
        calls.push(`before ${email}`)
        if (email === 'banned@x.io') throw new ApiError('forbidden')
      },
      afterLogin: ({ email }: { email: string }) => void calls.push(`after ${email}`),
    }
    const service = await bed.start(links, { hooks })
    await verified(service)
    const { requestToken, token } = await requestLink(service)
    await complete(service, { requestToken, token }).expect(200)
    await verified(service, 'banned@x.io')
    const banned = await requestLink(service, 'banned@x.io')
    const input = { requestToken: banned.requestToken, token: banned.token }
    await complete(service, input).expect(403)
    expect(calls).toEqual(['before ada@x.io', 'after ada@x.io', 'before banned@x.io'])
  })

  it('is not there unless the options say so, and needs mail', async () => {
    const service = await bed.start()
    await post(service, '/login-link', { email: 'ada@x.io' }).expect(404)
    await expect(bed.start(links, { mail: false })).rejects.toThrow(
      'createSignIn({ links }) needs auth.mail.',
    )
    await expect(bed.start({ links: { lifetime: '2h' } })).rejects.toThrow(
      'links.lifetime must be from 60s to 3600s.',
    )
    await expect(bed.start({ links: { path: 'x' } })).rejects.toThrow('createSignIn(): links')
  })

  it('works with services instead of routes', async () => {
    const service = await bed.start(links)
    const id = await verified(service)
    const { requestToken } = await service.auth.links.request({ email: ' Ada@x.io ' })
    await service.auth.stop()
    const link = new URL(service.mails.at(-1)?.link ?? '')
    const token = link.searchParams.get('token') ?? ''
    const grant = await service.auth.links.complete({ requestToken, token })
    expect(grant.user.id).toBe(id)
    expect(service.events.map(({ event }) => event)).toContain('auth.login_link_used')
  })
})
