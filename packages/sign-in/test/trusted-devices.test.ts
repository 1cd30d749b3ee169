import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { beginLogin, codeOf, createTestBed, enrol, password, post, register } from './fixture.ts'

const bed = createTestBed()
const day = 86_400_000

describe('a trusted device', () => {
  it('needs no code until the time is over', async () => {
    const service = await bed.start({ trustedDevices: '30d' })
    const { accessToken, deviceToken } = await trustDevice(service)
    const { body: listed } = await request(service.app)
      .get('/api/v1/auth/factors')
      .set('Authorization', `Bearer ${accessToken}`)
    expect(listed.data.trustedDevices).toBe(1)
    bed.now += 29 * day
    const again = await post(service, '/second-factor', {
      token: await beginLogin(service),
      deviceToken,
    }).expect(200)
    expect(again.body.data).toMatchObject({ user: { email: 'ada@x.io' } })
    expect(again.body.data).not.toHaveProperty('deviceToken')
    expect(service.events.find(({ reason }) => reason === 'trusted_device')?.event).toBe(
      'auth.second_factor_passed',
    )
    bed.now += 2 * day
    const token = await beginLogin(service)
    const late = await post(service, '/second-factor', { token, deviceToken }).expect(401)
    expect(late.body).toMatchObject({
      code: 'invalid_code',
      detail: 'The device is not trusted any more: send a code.',
    })
  })

  it('MFA-05 is not a recent proof', async () => {
    const service = await bed.start({ trustedDevices: '30d' })
    const { deviceToken, secret } = await trustDevice(service)
    const token = await beginLogin(service)
    const { body } = await post(service, '/second-factor', { token, deviceToken }).expect(200)
    const { accessToken } = body.data
    await post(service, '/factors/totp', {}, accessToken).expect(401, /reauthentication_required/)
    bed.now += 30_000
    const code = codeOf(secret, bed.now)
    await post(service, '/reauthenticate/code', { code }, accessToken).expect(204)
    await post(service, '/factors/totp', {}, accessToken).expect(201)
  })

  it('MFA-05 is one of its user only, and its token is worth nothing without the password', async () => {
    const service = await bed.start({ trustedDevices: '30d' })
    const { deviceToken } = await trustDevice(service)
    await enrol(bed, service, 'bob@x.io')
    const token = await beginLogin(service, 'bob@x.io')
    await post(service, '/second-factor', { token, deviceToken }).expect(401, /invalid_code/)
    await post(service, '/second-factor', { token: deviceToken, deviceToken }).expect(401)
  })

  it.each([
    [
      'the password',
      '/change-password',
      { currentPassword: password, newPassword: 'OtherRiver42!' },
    ],
    ['trust, by the user', undefined, {}],
  ])('MFA-05 is not trusted after the end of %s', async (_name, path, body) => {
    const service = await bed.start({ trustedDevices: '30d' })
    const { accessToken, deviceToken } = await trustDevice(service)
    const authorization = `Bearer ${accessToken}`
    if (path === undefined) {
      await request(service.app)
        .delete('/api/v1/auth/factors/trusted-devices')
        .set('Authorization', authorization)
        .expect(204)
      expect(service.events.at(-1)?.event).toBe('auth.trusted_devices_removed')
    } else await post(service, path, body, accessToken).expect(200)
    const now = path === undefined ? password : 'OtherRiver42!'
    const login = await post(service, '/login', { email: 'ada@x.io', password: now }).expect(401)
    const { token } = login.body
    await post(service, '/second-factor', { token, deviceToken }).expect(401, /invalid_code/)
  })

  it('MFA-05 is not trusted after a factor was removed, or all were reset', async () => {
    const service = await bed.start({ trustedDevices: '30d' })
    const { id } = await trustDevice(service)
    const list = await service.auth.factors.list(id)
    await service.auth.factors.remove(id, list.factors[0]?.id ?? '')
    expect(await service.auth.factors.list(id)).toMatchObject({ trustedDevices: 0 })
    const collection = bed.connection().collection('trusteddevices')
    await collection.insertOne({ userId: id, expiresAt: new Date(bed.now + day) })
    await service.auth.factors.reset(id)
    expect(await collection.countDocuments()).toBe(0)
  })

  it('does not set a factor up', async () => {
    const service = await bed.start({ trustedDevices: '30d', required: () => true })
    const { deviceToken } = await trustDevice(service)
    await register(service, 'bob@x.io')
    const token = await beginLogin(service, 'bob@x.io')
    await post(service, '/second-factor', { token, deviceToken }).expect(401, /invalid_code/)
  })

  it('is one of at most 20', async () => {
    const service = await bed.start({ trustedDevices: '30d' })
    const { deviceToken, id, secret } = await trustDevice(service)
    for (let count = 0; count < 20; count += 1) {
      bed.now += 30_000
      const token = await beginLogin(service)
      const code = codeOf(secret, bed.now)
      await service.auth.factors.completeLogin({ token, code, trustDevice: true })
    }
    expect(await service.auth.factors.list(id)).toMatchObject({ trustedDevices: 20 })
    const token = await beginLogin(service)
    await post(service, '/second-factor', { token, deviceToken }).expect(401, /invalid_code/)
  })

  it('is none without the option', async () => {
    const service = await bed.start()
    const { secret } = await enrol(bed, service)
    const token = await beginLogin(service)
    const code = codeOf(secret, bed.now)
    await post(service, '/second-factor', { token, code, trustDevice: true }).expect(422)
    await expect(bed.start({ trustedDevices: '1m' })).rejects.toThrow(
      'trustedDevices must be from 3600s to 7776000s.',
    )
  })
})

async function trustDevice(
  service: Awaited<ReturnType<typeof bed.start>>,
): Promise<{ id: string; secret: string; accessToken: string; deviceToken: string }> {
  const { id, secret } = await enrol(bed, service)
  const token = await beginLogin(service)
  const code = codeOf(secret, bed.now)
  const { body } = await post(service, '/second-factor', {
    token,
    code,
    trustDevice: true,
  }).expect(200)
  bed.now += 30_000
  const { accessToken, deviceToken } = body.data
  return { id, secret, accessToken, deviceToken }
}
