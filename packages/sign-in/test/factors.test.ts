import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { beginLogin, codeOf, createTestBed, enrol, password, post, register } from './fixture.ts'

const bed = createTestBed()

describe('a login with a second factor', () => {
  it('returns a token instead of a session, and the tokens after the code', async () => {
    const service = await bed.start()
    const user = await enrol(bed, service)
    const first = await post(service, '/login', { email: user.email, password }).expect(401)
    expect(first.body).toMatchObject({
      type: 'urn:problem-type:create-api/second_factor_required',
      title: 'A second factor is required.',
      status: 401,
      code: 'second_factor_required',
      token: expect.stringMatching(/^[\w-]{43}$/),
      expiresIn: 300,
    })
    expect(await service.auth.listSessions({ userId: user.id })).toHaveLength(1)
    const code = codeOf(user.secret, bed.now)
    const { token } = first.body
    const second = await post(service, '/second-factor', { token, code }).expect(200)
    expect(second.body.data).toMatchObject({
      user: { id: user.id },
      accessToken: expect.any(String),
      refreshToken: expect.stringMatching(/^rt1\./),
    })
    expect(second.body.data).not.toHaveProperty('recoveryCodes')
    expect(service.events.map(({ event }) => event).slice(-3)).toEqual([
      'auth.second_factor_required',
      'auth.second_factor_passed',
      'auth.tokens_issued',
    ])
  })

  it('runs the hook before a login with the password, and the one after it with the code', async () => {
    const calls: string[] = []
    const hooks = {
      beforeLogin: () => void calls.push('before'),
      afterLogin: () => void calls.push('after'),
    }
    const service = await bed.start({}, { hooks })
    const { secret } = await enrol(bed, service)
    const token = await beginLogin(service)
    expect(calls).toEqual(['before'])
    await post(service, '/second-factor', { token, code: codeOf(secret, bed.now) }).expect(200)
    expect(calls).toEqual(['before', 'after'])
  })

  it('is an ordinary login for a user without a factor', async () => {
    const service = await bed.start()
    await register(service)
    await post(service, '/login', { email: 'ada@x.io', password }).expect(200)
  })

  it('does not need the factor before it was confirmed', async () => {
    const service = await bed.start()
    const { accessToken } = await register(service)
    await post(service, '/factors/totp', {}, accessToken).expect(201)
    await post(service, '/login', { email: 'ada@x.io', password }).expect(200)
  })

  it('accepts the code before and the one after, and no older or later one', async () => {
    const service = await bed.start()
    const { secret } = await enrol(bed, service)
    bed.now += 600_000
    const attempt = async (offset: number): Promise<number> => {
      const token = await beginLogin(service)
      const code = codeOf(secret, bed.now + offset * 30_000)
      return (await post(service, '/second-factor', { token, code })).status
    }
    expect([await attempt(-2), await attempt(2)]).toEqual([401, 401])
    expect([await attempt(-1), await attempt(0), await attempt(1)]).toEqual([200, 200, 200])
  })

  it('accepts a code with a space between its halves', async () => {
    const service = await bed.start()
    const { secret } = await enrol(bed, service)
    const token = await beginLogin(service)
    const code = codeOf(secret, bed.now).replace(/^.../, '$& ')
    await post(service, '/second-factor', { token, code }).expect(200)
  })

  it('accepts each recovery code once, in upper or lower case, and informs the user', async () => {
    const service = await bed.start()
    const { id, recoveryCodes } = await enrol(bed, service)
    expect(new Set(recoveryCodes).size).toBe(10)
    const code = recoveryCodes[3]?.toLowerCase().replaceAll('-', ' ') ?? ''
    await post(service, '/second-factor', { token: await beginLogin(service), code }).expect(200)
    expect(await service.auth.factors.list(id)).toMatchObject({ recoveryCodes: 9 })
    await service.auth.stop()
    expect(service.mails.map(({ kind }) => kind)).toContain('recovery-code-used')
    await post(service, '/second-factor', { token: await beginLogin(service), code }).expect(401)
  })

  it('is over when the time for the second step is', async () => {
    const service = await bed.start({ stepLifetime: '1m' })
    const { secret } = await enrol(bed, service)
    const token = await beginLogin(service)
    bed.now += 61_000
    const code = codeOf(secret, bed.now)
    const { body } = await post(service, '/second-factor', { token, code }).expect(401)
    expect(body.code).toBe('invalid_token')
  })

  it('ends with a user who was disabled in the meantime', async () => {
    const service = await bed.start()
    const { id, secret } = await enrol(bed, service)
    const token = await beginLogin(service)
    await service.auth.users.update(id, { disabled: true })
    const code = codeOf(secret, bed.now)
    await post(service, '/second-factor', { token, code }).expect(401)
  })

  it('ends with a change of the password in the meantime', async () => {
    const service = await bed.start()
    const { accessToken, secret } = await enrol(bed, service)
    const token = await beginLogin(service)
    const change = { currentPassword: password, newPassword: 'OtherRiver43!' }
    await post(service, '/change-password', change, accessToken).expect(200)
    const code = codeOf(secret, bed.now)
    await post(service, '/second-factor', { token, code }).expect(401)
  })

  it('ends with a password that the application sets in the meantime', async () => {
    const service = await bed.start()
    const { id, secret } = await enrol(bed, service)
    const token = await beginLogin(service)
    await service.auth.users.update(id, { password: 'OtherRiver43!' })
    const code = codeOf(secret, bed.now)
    await post(service, '/second-factor', { token, code }).expect(401)
  })

  it('works with services instead of routes', async () => {
    const { auth } = await bed.start()
    const { user } = await auth.register({ email: 'ada@x.io', password })
    const { id, secret, uri } = await auth.factors.enrolTotp(user.id, { name: 'Phone' })
    expect(uri).toBe(
      `otpauth://totp/blog:ada%40x.io?issuer=blog&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    )
    const codes = await auth.factors.confirmTotp(user.id, { id, code: codeOf(secret, bed.now) })
    expect(codes).toHaveLength(10)
    bed.now += 30_000
    const error: unknown = await auth
      .login({ email: 'ada@x.io', password })
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'second_factor_required', extensions: { expiresIn: 300 } })
    const { token } = Object(error).extensions
    const code = codeOf(secret, bed.now)
    expect(await auth.factors.completeLogin({ token, code })).toMatchObject({
      user: { id: user.id },
    })
  })
})

describe('required factors', () => {
  const required = ({ roles }: { roles: readonly string[] }): boolean => roles.includes('admin')

  it('are set up in the login, which returns recovery codes with the tokens', async () => {
    const service = await bed.start({ required })
    const { id } = await register(service)
    await post(service, '/login', { email: 'ada@x.io', password }).expect(200)
    await service.auth.users.grantRole(id, 'admin')
    const first = await post(service, '/login', { email: 'ada@x.io', password }).expect(401)
    expect(first.body).toMatchObject({ code: 'second_factor_setup_required' })
    const { token } = first.body
    const { body } = await post(service, '/second-factor/setup', { token }).expect(201)
    const code = codeOf(body.data.secret, bed.now)
    const second = await post(service, '/second-factor', { token, code }).expect(200)
    expect(second.body.data.recoveryCodes).toHaveLength(10)
    expect((await service.auth.factors.list(id)).factors).toHaveLength(1)
    expect((await post(service, '/login', { email: 'ada@x.io', password })).body.code).toBe(
      'second_factor_required',
    )
  })

  it('cannot be set up with the token of a login that needs a code', async () => {
    const service = await bed.start({ required: () => true })
    await enrol(bed, service)
    const token = await beginLogin(service)
    const { body } = await post(service, '/second-factor/setup', { token }).expect(401)
    expect(body.code).toBe('invalid_token')
  })
})

describe('the factors of a user', () => {
  it('are listed without their secrets', async () => {
    const service = await bed.start()
    const { accessToken, factorId } = await enrol(bed, service)
    await post(service, '/factors/totp', { name: 'unconfirmed' }, accessToken).expect(201)
    const { body } = await request(service.app)
      .get('/api/v1/auth/factors')
      .set('Authorization', `Bearer ${accessToken}`)
      .expect(200)
    expect(body.data).toEqual({
      factors: [
        {
          id: factorId,
          kind: 'totp',
          name: 'Phone',
          createdAt: expect.any(String),
          lastUsedAt: expect.any(String),
        },
      ],
      recoveryCodes: 10,
      trustedDevices: 0,
    })
  })

  it('MFA-04 are stored encrypted, and recovery codes and tokens as digests', async () => {
    const service = await bed.start()
    const { recoveryCodes, secret } = await enrol(bed, service)
    const token = await beginLogin(service)
    const stored = []
    for (const name of ['factors', 'recoverycodes', 'loginsteps']) {
      stored.push(...(await bed.connection().collection(name).find().toArray()))
    }
    expect(stored).toHaveLength(3)
    const text = JSON.stringify(stored)
    for (const value of [secret, token, ...recoveryCodes]) {
      expect(text).not.toContain(value)
      expect(text).not.toContain(value.replaceAll('-', ''))
    }
  })

  it('need a recent proof to be changed', async () => {
    const service = await bed.start({ freshness: '5m' })
    const { accessToken, factorId, secret } = await enrol(bed, service)
    bed.now += 6 * 60_000
    const remove = (): request.Test =>
      request(service.app)
        .delete(`/api/v1/auth/factors/${factorId}`)
        .set('Authorization', `Bearer ${accessToken}`)
    for (const call of [
      remove(),
      post(service, '/factors/totp', {}, accessToken),
      post(service, '/factors/recovery-codes', {}, accessToken),
      post(service, `/factors/${factorId}/confirm`, { code: '123456' }, accessToken),
    ]) {
      expect((await call.expect(401)).body.code).toBe('reauthentication_required')
    }
    const code = codeOf(secret, bed.now)
    await post(service, '/reauthenticate/code', { code }, accessToken).expect(204)
    await remove().expect(204)
    await post(service, '/login', { email: 'ada@x.io', password }).expect(200)
    expect(await bed.connection().collection('recoverycodes').countDocuments()).toBe(0)
  })

  it('MFA-03 are needed to prove the identity again: the password alone is not enough', async () => {
    const service = await bed.start({ freshness: '5m' })
    const { accessToken, factorId, secret } = await enrol(bed, service)
    bed.now += 6 * 60_000
    const { body, headers } = await post(
      service,
      '/reauthenticate',
      { password },
      accessToken,
    ).expect(401)
    expect(body).toMatchObject({
      code: 'second_factor_required',
      detail: 'Send a code to reauthenticate/code.',
    })
    expect(headers['www-authenticate']).toBe('Bearer realm="api"')
    await post(service, '/reauthenticate/code', { code: codeOf(secret, bed.now) }, accessToken)
    await request(service.app)
      .delete(`/api/v1/auth/factors/${factorId}`)
      .set('Authorization', `Bearer ${accessToken}`)
      .expect(204)
    await post(service, '/reauthenticate', { password }, accessToken).expect(204)
  })

  it('are at most five, and one that was not confirmed is gone after 15 minutes', async () => {
    const service = await bed.start()
    const { accessToken } = await register(service)
    const first = await post(service, '/factors/totp', {}, accessToken).expect(201)
    for (let count = 1; count < 5; count += 1) {
      await post(service, '/factors/totp', {}, accessToken).expect(201)
    }
    const { body } = await post(service, '/factors/totp', {}, accessToken).expect(409)
    expect(body.code).toBe('too_many_factors')
    bed.now += 15 * 60_000
    await post(service, '/reauthenticate', { password }, accessToken)
    const login = await post(service, '/login', { email: 'ada@x.io', password }).expect(200)
    const { id, secret } = first.body.data
    const code = codeOf(secret, bed.now)
    const token = login.body.data.accessToken
    await post(service, `/factors/${id}/confirm`, { code }, token).expect(404)
  })

  it('can be several, of which each is enough', async () => {
    const service = await bed.start()
    const { accessToken, secret } = await enrol(bed, service)
    const { body } = await post(service, '/factors/totp', {}, accessToken).expect(201)
    const code = codeOf(body.data.secret, bed.now)
    const confirmed = await post(
      service,
      `/factors/${body.data.id}/confirm`,
      { code },
      accessToken,
    ).expect(200)
    expect(confirmed.body.data).toEqual({})
    bed.now += 30_000
    for (const own of [secret, body.data.secret]) {
      const input = { token: await beginLogin(service), code: codeOf(own, bed.now) }
      await post(service, '/second-factor', input).expect(200)
    }
  })

  it('get new recovery codes, after which the old ones do not work', async () => {
    const service = await bed.start()
    const { accessToken, recoveryCodes } = await enrol(bed, service)
    const { body } = await post(service, '/factors/recovery-codes', {}, accessToken).expect(201)
    const attempt = async (code = ''): Promise<number> =>
      (await post(service, '/second-factor', { token: await beginLogin(service), code })).status
    expect(await attempt(recoveryCodes[0])).toBe(401)
    expect(await attempt(body.data.recoveryCodes[0])).toBe(200)
  })

  it('are removed by an administrator, with a mail to the user', async () => {
    const service = await bed.start()
    const { id } = await enrol(bed, service)
    const token = await beginLogin(service)
    expect(await service.auth.factors.reset(id)).toBe(1)
    expect(await service.auth.factors.reset(id)).toBe(0)
    await service.auth.stop()
    expect(service.mails.map(({ kind }) => kind)).toEqual([
      'verify-email',
      'factor-added',
      'factors-reset',
    ])
    await post(service, '/login', { email: 'ada@x.io', password }).expect(200)
    await post(service, '/second-factor', { token, code: '123456' }).expect(401)
  })

  it('are removed with the user', async () => {
    const service = await bed.start()
    const { id } = await enrol(bed, service)
    await beginLogin(service)
    await service.auth.stop()
    await service.auth.removeUser(id)
    for (const name of ['factors', 'recoverycodes', 'loginsteps', 'devices']) {
      expect(await bed.connection().collection(name).countDocuments()).toBe(0)
    }
  })
})

describe('encryption keys', () => {
  it('are rotated: old ones decrypt, and a use encrypts with the first', async () => {
    const [older, newer] = ['o'.repeat(44), 'n'.repeat(44)]
    const { secret } = await enrol(bed, await bed.start({ encryptionKeys: [older] }))
    const attempt = async (encryptionKeys: string[]): Promise<number> => {
      bed.now += 30_000
      const service = await bed.start({ encryptionKeys })
      const input = { token: await beginLogin(service), code: codeOf(secret, bed.now) }
      const { status } = await post(service, '/second-factor', input)
      expect(service.problems.filter((text) => text.includes('decrypted'))).toHaveLength(
        status === 200 ? 0 : 1,
      )
      return status
    }
    expect(await attempt([newer])).toBe(401)
    expect(await attempt([newer, older])).toBe(200)
    expect(await attempt([newer])).toBe(200)
    expect(await attempt([older])).toBe(401)
  })
})

describe('createSignIn', () => {
  it.each([
    [{ stepLifetime: '2h' }, 'stepLifetime must be from 1s to 3600s.'],
    [{ freshness: '1s' }, 'freshness must be from 60s to 86400s.'],
    [{ freshness: 'soon' }, 'freshness must be a duration such as'],
    [{ encryptionKeys: [] }, 'createSignIn(): encryptionKeys: '],
    [{ encryptionKeys: ['short'] }, 'createSignIn(): encryptionKeys.0: '],
    [{ issuer: 'a:b' }, 'createSignIn(): issuer: '],
    [{ routes: ['login'] }, 'createSignIn(): routes names login. Known: completeLogin,'],
    [{ routes: ['requestLoginLink'] }, 'createSignIn(): routes names requestLoginLink.'],
    [{ routes: 1 }, 'createSignIn(): routes must be true, false'],
    [{ other: 1 }, 'createSignIn(): options: '],
  ])('rejects %j', async (options, message) => {
    await expect(bed.start(Object(options))).rejects.toThrow(message)
  })
})
