import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { codeOf, createTestBed, password, post, register, type Service } from './fixture.ts'

const bed = createTestBed()
const email = 'ada@x.io'
const required = ({ roles }: { roles: readonly string[] }): boolean => roles.includes('admin')

async function logIn(service: Service): Promise<string> {
  const { body } = await post(service, '/login', { email, password }).expect(200)
  return body.data.accessToken
}

const get = ({ app }: Service, path: string, token: string): request.Test =>
  request(app).get(`/api/v1/auth${path}`).set('Authorization', `Bearer ${token}`)

describe('a factor that a user must have', () => {
  it('is required of sessions and API keys from before, until the session proves it', async () => {
    const service = await bed.start({ required }, { apiKeys: {} })
    const { id, accessToken } = await register(service)
    const input = { name: 'script', scopes: ['user'] }
    const made = await post(service, '/keys', input, accessToken).expect(201)
    await service.auth.users.grantRole(id, 'admin')
    await get(service, '/me', accessToken).expect(200)
    const refused = await post(service, '/keys', input, accessToken).expect(401)
    expect(refused.body).toMatchObject({
      code: 'second_factor_setup_required',
      detail: 'Set up a factor by factors/totp, or log in again.',
    })
    for (const call of [
      service.auth.verifyAccessToken(accessToken),
      service.auth.apiKeys.verify(made.body.data.key),
    ]) {
      await expect(call).rejects.toMatchObject({ code: 'second_factor_setup_required' })
    }
    const other = await service.auth.issueTokens({ id })
    const { body } = await post(service, '/factors/totp', {}, accessToken).expect(201)
    const code = codeOf(body.data.secret, bed.now)
    await post(service, `/factors/${body.data.id}/confirm`, { code }, accessToken).expect(200)
    const later = await post(service, '/keys', input, accessToken).expect(201)
    await service.auth.apiKeys.verify(later.body.data.key)
    const late = { code: 'second_factor_required' }
    await expect(service.auth.apiKeys.verify(made.body.data.key)).rejects.toMatchObject(late)
    expect((await get(service, '/keys', other.accessToken).expect(401)).body).toMatchObject(late)
    bed.now += 30_000
    const next = { code: codeOf(body.data.secret, bed.now) }
    await post(service, '/reauthenticate/code', next, other.accessToken).expect(204)
    await get(service, '/keys', other.accessToken).expect(200)
  })

  it('cannot be set up with a token from before the first one', async () => {
    const service = await bed.start({ required: () => true })
    const { accessToken } = await register(service)
    const begin = async (): Promise<string> =>
      (await post(service, '/login', { email, password }).expect(401)).body.token
    const [unused, begun] = [await begin(), await begin()]
    const foreign = await post(service, '/second-factor/setup', { token: begun }).expect(201)
    const own = await post(service, '/factors/totp', {}, accessToken).expect(201)
    const confirmation = { code: codeOf(own.body.data.secret, bed.now) }
    const path = `/factors/${own.body.data.id}/confirm`
    await post(service, path, confirmation, accessToken).expect(200)
    const attempt = { token: begun, code: codeOf(foreign.body.data.secret, bed.now) }
    expect((await post(service, '/second-factor', attempt).expect(401)).body.code).toBe(
      'invalid_token',
    )
    await post(service, '/second-factor/setup', { token: unused }).expect(401)
    const { body } = await get(service, '/factors', accessToken).expect(200)
    expect(body.data.factors).toHaveLength(1)
  })

  it('is set up by one of several concurrent logins', async () => {
    const service = await bed.start({ required: () => true }, { limits: false })
    const { id } = await register(service)
    const begun = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const { token } = (await post(service, '/login', { email, password })).body
        const { body } = await post(service, '/second-factor/setup', { token }).expect(201)
        return { token, secret: body.data.secret }
      }),
    )
    const results = await Promise.all(
      begun.map(({ secret, token }) =>
        post(service, '/second-factor', { token, code: codeOf(secret, bed.now) }),
      ),
    )
    expect(results.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 401, 401, 401,
    ])
    expect((await service.auth.factors.list(id)).factors).toHaveLength(1)
  })
})

describe('the first factor', () => {
  it('ends the recent proof of sessions that did not confirm it', async () => {
    const service = await bed.start()
    await register(service)
    const older = await logIn(service)
    const token = await logIn(service)
    const pending = await post(service, '/factors/totp', {}, older).expect(201)
    const { body } = await post(service, '/factors/totp', {}, token).expect(201)
    const code = codeOf(body.data.secret, bed.now)
    await post(service, `/factors/${body.data.id}/confirm`, { code }, token).expect(200)
    const foreign = { code: codeOf(pending.body.data.secret, bed.now) }
    for (const call of [
      post(service, '/factors/recovery-codes', {}, older),
      post(service, `/factors/${pending.body.data.id}/confirm`, foreign, older),
      request(service.app)
        .delete(`/api/v1/auth/factors/${body.data.id}`)
        .set('Authorization', `Bearer ${older}`),
    ]) {
      expect((await call.expect(401)).body.code).toBe('reauthentication_required')
    }
    await get(service, '/me', older).expect(200)
    await post(service, '/factors/recovery-codes', {}, token).expect(201)
  })

  it('is enrolled by some of twelve concurrent requests, and the others get an error', async () => {
    const service = await bed.start()
    const { accessToken } = await register(service)
    const results = await Promise.all(
      Array.from({ length: 12 }, () => post(service, '/factors/totp', {}, accessToken)),
    )
    const won = results.filter(({ status }) => status === 201)
    expect(won.length).toBeGreaterThan(0)
    expect(await bed.connection().collection('factors').countDocuments()).toBe(won.length)
    for (const { body, status } of results) {
      if (status !== 201) expect([status, body.code]).toEqual([409, 'too_many_factors'])
    }
  })
})
