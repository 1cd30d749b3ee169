import request from 'supertest'
import { describe, expect, it } from 'vitest'
import {
  beginLogin,
  codeOf,
  createTestBed,
  enrol,
  password,
  post,
  register,
  type Service,
} from './fixture.ts'

const bed = createTestBed()

function attempt(service: Service, token: string, code: string): Promise<request.Response> {
  return post(service, '/second-factor', { token, code }).then((response) => response)
}

describe('attacks on the second factor', () => {
  it('MFA-01 a code that was used is not accepted again, also in the login that used it', async () => {
    const service = await bed.start()
    const { secret } = await enrol(bed, service)
    const code = codeOf(secret, bed.now)
    const [first, second] = [await beginLogin(service), await beginLogin(service)]
    expect((await attempt(service, first, code)).status).toBe(200)
    expect((await attempt(service, first, code)).body.code).toBe('invalid_token')
    expect((await attempt(service, second, code)).body.code).toBe('invalid_code')
    // The one before it was valid for as long.
    expect((await attempt(service, second, codeOf(secret, bed.now - 30_000))).status).toBe(401)
  })

  it('MFA-01 of two processes that get one code at once, one accepts it', async () => {
    const services = [await bed.start(), await bed.start()]
    const [service] = services
    if (!service) throw new Error('no service')
    const { secret } = await enrol(bed, service)
    for (let round = 0; round < 20; round += 1) {
      bed.now += 30_000
      const code = codeOf(secret, bed.now)
      const tokens = await Promise.all(services.map((process) => beginLogin(process)))
      const responses = await Promise.all(
        services.map((process, at) => attempt(process, tokens[at] ?? '', code)),
      )
      expect(responses.map(({ status }) => status)).toContain(200)
      expect(responses.map(({ status }) => status)).toContain(401)
    }
  })

  it('MFA-01 of first factors that are confirmed at once, one wins and brings the recovery codes', async () => {
    const service = await bed.start()
    for (const email of ['ada@x.io', 'grace@x.io', 'joan@x.io']) {
      const { accessToken } = await register(service, email)
      const enrolled = []
      for (let count = 0; count < 4; count += 1) {
        enrolled.push(await post(service, '/factors/totp', {}, accessToken).expect(201))
      }
      const confirmed = await Promise.all(
        enrolled.map(({ body: { data } }) => {
          const code = codeOf(data.secret, bed.now)
          return post(service, `/factors/${data.id}/confirm`, { code }, accessToken)
        }),
      )
      const winners = confirmed.filter(({ status }) => status === 200)
      expect(winners).toHaveLength(1)
      const codes = winners.flatMap(({ body }) => body.data.recoveryCodes ?? [])
      expect(codes).toHaveLength(10)
      bed.now += 60_000
      const token = await beginLogin(service, email)
      expect((await attempt(service, token, codes[9])).status).toBe(200)
    }
  })

  it('MFA-01 concurrent requests set up five factors at most', async () => {
    const service = await bed.start()
    const { accessToken } = await register(service)
    const statuses = await Promise.all(
      Array.from({ length: 9 }, async () => {
        const { status } = await post(service, '/factors/totp', {}, accessToken)
        return status
      }),
    )
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(5)
    expect(await bed.connection().collection('factors').countDocuments()).toBeLessThanOrEqual(5)
  })

  it('MFA-01 of concurrent uses of a recovery code or of a token, one succeeds', async () => {
    const service = await bed.start()
    const { recoveryCodes, secret } = await enrol(bed, service)
    const code = recoveryCodes[0] ?? ''
    const tokens = await Promise.all(Array.from({ length: 8 }, () => beginLogin(service)))
    const statuses = await Promise.all(
      tokens.map(async (token) => (await attempt(service, token, code)).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)

    const token = await beginLogin(service)
    const codes = [codeOf(secret, bed.now), ...recoveryCodes.slice(1, 8)]
    const results = await Promise.all(
      codes.map(async (guess) => (await attempt(service, token, guess)).status),
    )
    expect(results.filter((status) => status === 200)).toHaveLength(1)
  })

  it('MFA-02 a code of another user does not complete a login', async () => {
    const service = await bed.start()
    await enrol(bed, service, 'ada@x.io')
    const mallory = await enrol(bed, service, 'mallory@x.io')
    const token = await beginLogin(service, 'ada@x.io')
    const own = codeOf(mallory.secret, bed.now)
    expect((await attempt(service, token, own)).body.code).toBe('invalid_code')
    const stolen = mallory.recoveryCodes[0] ?? ''
    expect((await attempt(service, token, stolen)).body.code).toBe('invalid_code')
  })

  it('MFA-02 factors of another user cannot be confirmed or removed', async () => {
    const service = await bed.start()
    const ada = await enrol(bed, service, 'ada@x.io')
    const mallory = await register(service, 'mallory@x.io')
    const code = codeOf(ada.secret, bed.now)
    const call = `/factors/${ada.factorId}`
    await post(service, `${call}/confirm`, { code }, mallory.accessToken).expect(404)
    await request(service.app)
      .delete(`/api/v1/auth${call}`)
      .set('Authorization', `Bearer ${mallory.accessToken}`)
      .expect(404)
  })

  it('the token of a login is neither an access token nor a refresh token, and other tokens do not complete one', async () => {
    const service = await bed.start()
    const { accessToken, secret } = await enrol(bed, service)
    const token = await beginLogin(service)
    await request(service.app)
      .get('/api/v1/auth/me')
      .set('Authorization', `Bearer ${token}`)
      .expect(401)
    await post(service, '/refresh-token', { refreshToken: token }).expect(401)
    await post(service, '/verify-email', { token }).expect(401)
    const code = codeOf(secret, bed.now)
    expect((await attempt(service, accessToken, code)).status).toBe(422)
    await post(service, '/forgot-password', { email: 'ada@x.io' }).expect(204)
    await service.auth.stop()
    const link = service.mails.find(({ kind }) => kind === 'reset-password')
    const mailed = new URL(String(Object(link).link)).searchParams.get('token') ?? ''
    expect((await attempt(service, mailed, code)).body.code).toBe('invalid_token')
  })

  it('MFA-03 a new password by mail does not open a session without the factor', async () => {
    const service = await bed.start()
    const { id } = await enrol(bed, service)
    await service.auth.users.update(id, { emailVerified: true })
    await resetPassword(service)
    expect(await beginLogin(service)).toBeTypeOf('string')
  })

  it('MFA-03 the owner of an address that was not verified removes the factors of someone else', async () => {
    const service = await bed.start()
    const { id } = await enrol(bed, service)
    await resetPassword(service)
    await post(service, '/login', { email: 'ada@x.io', password }).expect(200)
    expect(await service.auth.factors.list(id)).toEqual({
      factors: [],
      recoveryCodes: 0,
      trustedDevices: 0,
    })
  })

  it('MFA-03 an API key cannot see or change factors', async () => {
    const service = await bed.start({}, { apiKeys: {} })
    const { accessToken } = await enrol(bed, service)
    const { body } = await post(
      service,
      '/keys',
      { name: 'script', scopes: ['user'] },
      accessToken,
    ).expect(201)
    await post(service, '/factors/totp', {}, body.data.key).expect(403)
    await request(service.app)
      .get('/api/v1/auth/factors')
      .set('Authorization', `Bearer ${body.data.key}`)
      .expect(403)
  })

  it('guesses against many accounts from one address are as many as the limit of the address', async () => {
    const service = await bed.start({}, { limits: {} })
    const tokens: string[] = []
    for (let user = 0; user < 5; user += 1) {
      const { user: created } = await service.auth.register({ email: `u${user}@x.io`, password })
      const { id, secret } = await service.auth.factors.enrolTotp(created.id)
      await service.auth.factors.confirmTotp(created.id, { id, code: codeOf(secret, bed.now) })
      const error: unknown = await service.auth
        .login({ email: `u${user}@x.io`, password })
        .catch((thrown: unknown) => thrown)
      tokens.push(Object(error).extensions.token)
    }
    const statuses = []
    for (let guess = 0; guess < 15; guess += 1) {
      const token = tokens[guess % tokens.length] ?? ''
      statuses.push((await attempt(service, token, '000000')).status)
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.slice(10)).toEqual([429, 429, 429, 429, 429])
  })

  it('a success makes the account wait no longer', async () => {
    const service = await bed.start(
      {},
      {
        limits: {
          perAddress: { secondFactor: { limit: 1000 }, login: { limit: 1000 } },
          perAccount: { limit: 3, window: '15m' },
        },
      },
    )
    const { secret } = await enrol(bed, service)
    const token = await beginLogin(service)
    for (const status of [401, 401]) {
      expect((await attempt(service, token, '000000')).status).toBe(status)
    }
    expect((await attempt(service, token, codeOf(secret, bed.now))).status).toBe(200)
    bed.now += 30_000
    const next = await beginLogin(service)
    for (const status of [401, 401, 401, 429]) {
      expect((await attempt(service, next, '000000')).status).toBe(status)
    }
    expect((await attempt(service, next, codeOf(secret, bed.now))).headers['retry-after']).toBe('1')
  })

  it('MFA-04 a secret that is moved to the factor of another user cannot be decrypted', async () => {
    const service = await bed.start()
    const ada = await enrol(bed, service, 'ada@x.io')
    const mallory = await enrol(bed, service, 'mallory@x.io')
    const stored = bed.connection().collection('factors')
    const own = await stored.findOne({ userId: mallory.id })
    await stored.updateOne({ userId: ada.id }, { $set: { secret: own?.['secret'] } })
    const token = await beginLogin(service, 'ada@x.io')
    const code = codeOf(mallory.secret, bed.now)
    expect((await attempt(service, token, code)).body.code).toBe('invalid_code')
    expect(service.problems.some((text) => text.includes('cannot be decrypted'))).toBe(true)
  })
})

async function resetPassword(service: Service): Promise<void> {
  await post(service, '/forgot-password', { email: 'ada@x.io' }).expect(204)
  await service.auth.stop()
  const link = service.mails.find(({ kind }) => kind === 'reset-password')
  const token = new URL(String(Object(link).link)).searchParams.get('token')
  await post(service, '/reset-password', { token, password }).expect(204)
}
