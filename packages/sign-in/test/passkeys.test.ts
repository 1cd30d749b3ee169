import { ApiError } from '@create-api/core'
import {
  type BegunPasskeyAssertion,
  type BegunPasskeyRegistration,
  type PasskeyOptions,
  passkeys,
} from '@create-api/sign-in/passkeys'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import {
  type Behaviour,
  createCredential,
  type Credential,
  signChallenge,
} from './authenticator.ts'
import {
  codeOf,
  createTestBed,
  type EnrolledUser,
  enrol,
  password,
  post,
  register,
  type Service,
} from './fixture.ts'

const bed = createTestBed()
const relyingParty = { id: 'example.com', origins: ['https://app.example.com'] } as const

function withPasskeys(changes: Partial<PasskeyOptions> = {}): {
  passkeys: ReturnType<typeof passkeys>
} {
  return { passkeys: passkeys({ ...relyingParty, ...changes }) }
}

async function begin(
  service: Service,
  path: string,
  accessToken?: string,
): Promise<BegunPasskeyAssertion> {
  return (await post(service, path, {}, accessToken).expect(200)).body.data
}

async function beginRegistration(
  service: Service,
  accessToken: string,
): Promise<BegunPasskeyRegistration> {
  return (await post(service, '/passkeys/options', {}, accessToken).expect(200)).body.data
}

interface Registered {
  readonly credential: Credential
  readonly id: string
}

/** Registers a passkey by the routes. */
async function addPasskey(
  service: Service,
  accessToken: string,
  { name = 'Laptop', ...behaviour }: Behaviour & { name?: string } = {},
): Promise<Registered> {
  const { publicKey, requestToken } = await beginRegistration(service, accessToken)
  const { credential, response } = createCredential(publicKey, behaviour)
  const input = { requestToken, credential: response, name }
  const { body } = await post(service, '/passkeys', input, accessToken).expect(201)
  return { credential, id: body.data.id }
}

async function tryLogin(
  service: Service,
  credential: Credential,
  behaviour: Behaviour = {},
): Promise<request.Response> {
  const { publicKey, requestToken } = await begin(service, '/passkeys/login/options')
  const input = { requestToken, credential: signChallenge(credential, publicKey, behaviour) }
  return post(service, '/passkeys/login', input)
}

function remove({ app }: Service, id: string, accessToken: string): request.Test {
  return request(app)
    .delete(`/api/v1/auth/passkeys/${id}`)
    .set('Authorization', `Bearer ${accessToken}`)
}

function get({ app }: Service, path: string, accessToken: string): request.Test {
  return request(app).get(`/api/v1/auth${path}`).set('Authorization', `Bearer ${accessToken}`)
}

async function list(service: Service, accessToken: string): Promise<{ id: string }[]> {
  return (await get(service, '/passkeys', accessToken).expect(200)).body.data
}

const last = (service: Service, name: string): unknown =>
  service.events.findLast(({ event }) => event === name)

describe('a registration', () => {
  it('returns options for a discoverable credential, and then the passkey', async () => {
    const service = await bed.start(withPasskeys())
    const { accessToken, id: userId } = await register(service)
    const begun = await beginRegistration(service, accessToken)
    expect(begun).toEqual({
      requestToken: expect.stringMatching(/^[\w-]{43}$/),
      expiresIn: 300,
      publicKey: {
        rp: { id: 'example.com', name: 'blog' },
        user: {
          id: expect.stringMatching(/^[\w-]{43}$/),
          name: 'ada@x.io',
          displayName: 'ada@x.io',
        },
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
        timeout: 300_000,
        excludeCredentials: [],
        authenticatorSelection: {
          residentKey: 'required',
          requireResidentKey: true,
          userVerification: 'required',
        },
        attestation: 'none',
      },
    })
    const { response } = createCredential(begun.publicKey, { backupEligible: true, backedUp: true })
    const input = { requestToken: begun.requestToken, credential: response, name: ' Laptop ' }
    const { body } = await post(service, '/passkeys', input, accessToken).expect(201)
    const passkey = {
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Laptop',
      transports: ['internal', 'hybrid'],
      backupEligible: true,
      backedUp: true,
      createdAt: new Date(bed.now).toISOString(),
      lastUsedAt: null,
    }
    expect(body.data).toEqual(passkey)
    expect(await list(service, accessToken)).toEqual([passkey])
    expect(last(service, 'auth.passkey_added')).toMatchObject({ userId })
    await service.auth.stop()
    expect(service.mails.map(({ kind }) => kind)).toContain('passkey-added')
  })

  it('excludes the passkeys of the user, and shows the same handle to their authenticators', async () => {
    const service = await bed.start(withPasskeys({ name: 'The blog' }))
    const { accessToken } = await register(service)
    const first = await addPasskey(service, accessToken)
    const { publicKey } = await beginRegistration(service, accessToken)
    expect(publicKey.excludeCredentials).toEqual([
      { id: first.credential.id, type: 'public-key', transports: ['internal', 'hybrid'] },
    ])
    expect(publicKey.user.id).toBe(first.credential.userHandle)
    expect(publicKey.rp.name).toBe('The blog')
  })

  it('needs a recent proof, and so does a removal', async () => {
    const service = await bed.start(withPasskeys())
    const { accessToken } = await register(service)
    const { id } = await addPasskey(service, accessToken)
    const begun = await beginRegistration(service, accessToken)
    bed.now += 10 * 60_000 + 1000
    const { response } = createCredential(begun.publicKey)
    const input = { requestToken: begun.requestToken, credential: response }
    for (const call of [
      post(service, '/passkeys/options', {}, accessToken),
      post(service, '/passkeys', input, accessToken),
      remove(service, id, accessToken),
    ]) {
      expect((await call.expect(401)).body.code).toBe('reauthentication_required')
    }
  })

  it('is possible up to twenty passkeys', async () => {
    const service = await bed.start(withPasskeys())
    const { accessToken } = await register(service)
    for (let count = 0; count < 19; count += 1) await addPasskey(service, accessToken)
    // While one more is possible.
    const spare = await beginRegistration(service, accessToken)
    const begun = await Promise.all(
      Array.from({ length: 4 }, () => beginRegistration(service, accessToken)),
    )
    const statuses = await Promise.all(
      begun.map(async ({ publicKey, requestToken }) => {
        const { response: credential } = createCredential(publicKey)
        return (await post(service, '/passkeys', { requestToken, credential }, accessToken)).status
      }),
    )
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(1)
    if (!statuses.includes(201)) await addPasskey(service, accessToken)
    const refused = await post(service, '/passkeys/options', {}, accessToken).expect(409)
    expect(refused.body.code).toBe('too_many_passkeys')
    const { response: credential } = createCredential(spare.publicKey)
    const input = { requestToken: spare.requestToken, credential }
    const { body } = await post(service, '/passkeys', input, accessToken).expect(409)
    expect(body.code).toBe('too_many_passkeys')
  })

  it('accepts keys of EdDSA, ES256 and RS256', async () => {
    const service = await bed.start(withPasskeys())
    const { accessToken } = await register(service)
    for (const algorithm of ['EdDSA', 'ES256', 'RS256'] as const) {
      const { credential } = await addPasskey(service, accessToken, { algorithm })
      expect((await tryLogin(service, credential)).status).toBe(200)
    }
  })

  it('does not read an attestation, which was not requested', async () => {
    const service = await bed.start(withPasskeys())
    const { accessToken } = await register(service)
    const statement = new Map<string, unknown>([
      ['alg', -7],
      ['sig', new Uint8Array(8)],
      ['x5c', [new Uint8Array(8)]],
    ])
    const { credential } = await addPasskey(service, accessToken, { format: 'packed', statement })
    expect((await tryLogin(service, credential)).status).toBe(200)
  })

  it('has the name Passkey without another one, and can be renamed', async () => {
    const service = await bed.start(withPasskeys())
    const { accessToken } = await register(service)
    const { publicKey, requestToken } = await beginRegistration(service, accessToken)
    const { response: credential } = createCredential(publicKey)
    const input = { requestToken, credential }
    const { body } = await post(service, '/passkeys', input, accessToken).expect(201)
    expect(body.data.name).toBe('Passkey')
    const rename = (id: string, token: string, name: string): request.Test =>
      request(service.app)
        .patch(`/api/v1/auth/passkeys/${id}`)
        .set('Authorization', `Bearer ${token}`)
        .send({ name })
    const renamed = await rename(body.data.id, accessToken, 'Phone').expect(200)
    expect(renamed.body.data).toEqual({ ...body.data, name: 'Phone' })
    await rename(body.data.id, accessToken, ' ').expect(422)
    const other = await register(service, 'mallory@x.io')
    await rename(body.data.id, other.accessToken, 'Mine').expect(404)
    expect(await list(service, other.accessToken)).toEqual([])
  })
})

describe('a login with a passkey', () => {
  it('opens a session without an address or a password', async () => {
    const service = await bed.start(withPasskeys())
    const { accessToken, id } = await register(service)
    const { credential } = await addPasskey(service, accessToken)
    const { publicKey } = await begin(service, '/passkeys/login/options')
    expect(publicKey).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      timeout: 300_000,
      rpId: 'example.com',
      allowCredentials: [],
      userVerification: 'required',
    })
    bed.now += 60_000
    const { body } = await tryLogin(service, credential)
    expect(body.data).toMatchObject({ user: { id }, refreshToken: expect.stringMatching(/^rt1\./) })
    expect(last(service, 'auth.passkey_used')).toMatchObject({ userId: id })
    const [passkey] = await list(service, body.data.accessToken)
    expect(passkey).toMatchObject({ lastUsedAt: new Date(bed.now).toISOString() })
  })

  it('is both factors if the authenticator has verified the user, also where a factor is required', async () => {
    const service = await bed.start(withPasskeys())
    const user = await enrol(bed, service)
    const { credential } = await addPasskey(service, user.accessToken)
    expect((await tryLogin(service, credential)).status).toBe(200)
    const strict = await bed.start({ ...withPasskeys(), required: () => true })
    await post(strict, '/login', { email: 'ada@x.io', password }).expect(401)
    expect((await tryLogin(strict, credential)).status).toBe(200)
  })

  it('needs the second factor without verification of the user, where the options allow that', async () => {
    const service = await bed.start(withPasskeys({ userVerification: 'preferred' }))
    const user = await enrol(bed, service)
    const { credential } = await addPasskey(service, user.accessToken, { verifies: false })
    const { body } = await tryLogin(service, credential, { verifies: false })
    expect(body).toMatchObject({ status: 401, code: 'second_factor_required' })
    const code = codeOf(user.secret, bed.now)
    await post(service, '/second-factor', { token: body.token, code }).expect(200)

    const other = await register(service, 'grace@x.io')
    const plain = await addPasskey(service, other.accessToken, { verifies: false })
    expect((await tryLogin(service, plain.credential, { verifies: false })).status).toBe(200)
    const strict = await bed.start({
      ...withPasskeys({ userVerification: 'preferred' }),
      required: () => true,
    })
    const refused = await tryLogin(strict, plain.credential, { verifies: false })
    expect(refused.body.code).toBe('second_factor_setup_required')
  })

  it('stores the state of backups', async () => {
    const service = await bed.start(withPasskeys())
    const { accessToken } = await register(service)
    const { credential } = await addPasskey(service, accessToken, { backupEligible: true })
    expect(await list(service, accessToken)).toMatchObject([{ backedUp: false }])
    const flags = { backupEligible: true, backedUp: true }
    expect((await tryLogin(service, credential, flags)).status).toBe(200)
    expect(await list(service, accessToken)).toMatchObject([flags])
    // It cannot become another kind of passkey.
    expect((await tryLogin(service, credential)).body.code).toBe('invalid_passkey')
  })

  it('accepts authenticators that do not count', async () => {
    const service = await bed.start(withPasskeys())
    const { accessToken } = await register(service)
    const { credential } = await addPasskey(service, accessToken, { counter: 0 })
    for (const round of [1, 2]) {
      const { status } = await tryLogin(service, credential, { counter: 0 })
      expect([round, status]).toEqual([round, 200])
    }
  })

  it('runs the hooks of a login, of which the first can reject it', async () => {
    const calls: string[] = []
    const hooks = {
      beforeLogin: ({ email }: { email: string }) => {
        calls.push(`before ${email}`)
        if (calls.length > 2) throw new ApiError('forbidden')
      },
      afterLogin: ({ email }: { email: string }) => void calls.push(`after ${email}`),
    }
    const service = await bed.start(withPasskeys(), { hooks })
    const { accessToken } = await register(service)
    const { credential } = await addPasskey(service, accessToken)
    expect((await tryLogin(service, credential)).status).toBe(200)
    expect((await tryLogin(service, credential)).status).toBe(403)
    expect(calls).toEqual(['before ada@x.io', 'after ada@x.io', 'before ada@x.io'])
  })

  it('ends with the passkey, the user and a disabled account', async () => {
    const service = await bed.start(withPasskeys())
    const { accessToken, id } = await register(service)
    const first = await addPasskey(service, accessToken)
    const second = await addPasskey(service, accessToken)
    await remove(service, first.id, accessToken).expect(204)
    expect((await tryLogin(service, first.credential)).body.code).toBe('invalid_passkey')
    await service.auth.users.update(id, { disabled: true })
    expect((await tryLogin(service, second.credential)).body.code).toBe('invalid_passkey')
    await service.auth.users.update(id, { disabled: false })
    expect((await tryLogin(service, second.credential)).status).toBe(200)
    await service.auth.removeUser(id)
    expect((await tryLogin(service, second.credential)).body.code).toBe('invalid_passkey')
    expect(await bed.connection().collection('passkeys').countDocuments()).toBe(0)
  })

  it('has a limit of failures for each address, and none for the account', async () => {
    const service = await bed.start(withPasskeys(), { limits: {} })
    const { accessToken } = await register(service)
    const { credential } = await addPasskey(service, accessToken)
    const wrong = { origin: 'https://evil.example' }
    const statuses = []
    for (let count = 0; count < 11; count += 1) {
      statuses.push((await tryLogin(service, credential, wrong)).status)
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
    const begun = await service.auth.passkeys.beginLogin({ address: '203.0.113.7' })
    const input = {
      requestToken: begun.requestToken,
      credential: signChallenge(credential, begun.publicKey),
    }
    await service.auth.passkeys.completeLogin(input, { address: '203.0.113.7' })
  })

  it('can begin 120 times in 15 minutes from an address', async () => {
    const service = await bed.start(withPasskeys(), { limits: {} })
    const statuses = []
    for (let count = 0; count < 121; count += 1) {
      statuses.push((await post(service, '/passkeys/login/options', {})).status)
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(120)
    expect(statuses.at(-1)).toBe(429)
  })
})

describe('another proof by a passkey', () => {
  it('counts as a recent proof in its session', async () => {
    const service = await bed.start(withPasskeys())
    const { accessToken } = await register(service)
    const { credential } = await addPasskey(service, accessToken)
    bed.now += 10 * 60_000 + 1000
    await post(service, '/passkeys/options', {}, accessToken).expect(401)
    const path = '/reauthenticate/passkey'
    const { publicKey, requestToken } = await begin(service, `${path}/options`, accessToken)
    expect(publicKey.allowCredentials).toMatchObject([{ id: credential.id }])
    const input = { requestToken, credential: signChallenge(credential, publicKey) }
    await post(service, path, input, accessToken).expect(204)
    await post(service, '/passkeys/options', {}, accessToken).expect(200)
    expect(last(service, 'auth.reauthenticated')).toMatchObject({ sessionId: expect.any(String) })
  })

  it('needs verification of the user in any case, and a passkey', async () => {
    const service = await bed.start(withPasskeys({ userVerification: 'preferred' }))
    const { accessToken } = await register(service)
    const path = '/reauthenticate/passkey'
    await post(service, `${path}/options`, {}, accessToken).expect(404)
    const { credential } = await addPasskey(service, accessToken, { verifies: false })
    const { publicKey, requestToken } = await begin(service, `${path}/options`, accessToken)
    expect(publicKey.userVerification).toBe('required')
    const input = {
      requestToken,
      credential: signChallenge(credential, publicKey, { verifies: false }),
    }
    const { body } = await post(service, path, input, accessToken).expect(401)
    expect(body.code).toBe('invalid_passkey')
  })

  it('fails in a session that has ended', async () => {
    const service = await bed.start(withPasskeys())
    const { accessToken, id: userId } = await register(service)
    const { credential } = await addPasskey(service, accessToken)
    const [session] = await service.auth.sessions.list(userId)
    const caller = { userId, sessionId: String(session?._id) }
    const { passkeys: service_ } = service.auth
    const { publicKey, requestToken } = await service_.beginReauthentication(caller)
    await service.auth.revokeSessions({ userId })
    const input = { requestToken, credential: signChallenge(credential, publicKey) }
    await expect(service_.reauthenticate(caller, input)).rejects.toMatchObject({
      code: 'session_revoked',
    })
  })
})

describe('a removal', () => {
  it('informs the user, and does not concern passkeys of others', async () => {
    const service = await bed.start(withPasskeys())
    const ada = await register(service)
    const mallory = await register(service, 'mallory@x.io')
    const { id } = await addPasskey(service, ada.accessToken)
    await remove(service, id, mallory.accessToken).expect(404)
    await remove(service, id, ada.accessToken).expect(204)
    await remove(service, id, ada.accessToken).expect(404)
    expect(last(service, 'auth.passkey_removed')).toMatchObject({ userId: ada.id })
    await service.auth.stop()
    expect(service.mails.map(({ kind }) => kind)).toContain('passkey-removed')
  })

  async function withoutPassword(service: Service, userId: string): Promise<void> {
    await service.auth.users.update(userId, { emailVerified: false })
    const users = bed.connection().collection('users')
    const passwordHash = `unusable ${'0'.repeat(32)}`
    await users.updateMany({}, { $set: { passwordHash } })
  }

  it('PSK-05 leaves the last passkey to a user who cannot log in in another way', async () => {
    const service = await bed.start(withPasskeys(), { mail: false })
    const { accessToken, id: userId } = await register(service)
    const first = await addPasskey(service, accessToken)
    const second = await addPasskey(service, accessToken)
    await withoutPassword(service, userId)
    await remove(service, first.id, accessToken).expect(204)
    const { body } = await remove(service, second.id, accessToken).expect(409)
    expect(body.code).toBe('last_login_method')
    expect((await tryLogin(service, second.credential)).status).toBe(200)
    await addPasskey(service, accessToken)
    await remove(service, second.id, accessToken).expect(204)
  })

  it('PSK-05 leaves one of two that are removed at once', async () => {
    const services = [
      await bed.start(withPasskeys(), { mail: false }),
      await bed.start(withPasskeys(), { mail: false }),
    ] as const
    const [service, other] = services
    for (let round = 0; round < 10; round += 1) {
      const { accessToken, id: userId } = await register(service, `user${round}@x.io`)
      const [first, second] = [
        await addPasskey(service, accessToken),
        await addPasskey(service, accessToken),
      ]
      await withoutPassword(service, userId)
      await Promise.all([
        remove(service, first.id, accessToken),
        remove(other, second.id, accessToken),
      ])
      expect((await list(service, accessToken)).length).toBeGreaterThan(0)
    }
  })

  it('PSK-05 is possible with mail to a verified address, which can set a password', async () => {
    const service = await bed.start(withPasskeys())
    const { accessToken, id: userId } = await register(service)
    const { id } = await addPasskey(service, accessToken)
    await withoutPassword(service, userId)
    await remove(service, id, accessToken).expect(409)
    await service.auth.users.update(userId, { emailVerified: true })
    await remove(service, id, accessToken).expect(204)
  })
})

describe('passkeys and other ways to log in', () => {
  async function resetPassword(service: Service): Promise<void> {
    await post(service, '/forgot-password', { email: 'ada@x.io' }).expect(204)
    await service.auth.stop()
    const mail = service.mails.findLast(({ kind }) => kind === 'reset-password')
    const token = new URL(mail?.link ?? '').searchParams.get('token') ?? ''
    await post(service, '/reset-password', { token, password: 'OtherRiver43!' }).expect(204)
  }

  it('stay after a reset of the password', async () => {
    const service = await bed.start(withPasskeys())
    const { accessToken, id } = await register(service)
    await service.auth.users.update(id, { emailVerified: true })
    const { credential } = await addPasskey(service, accessToken)
    await resetPassword(service)
    expect((await tryLogin(service, credential)).status).toBe(200)
  })

  it('PSK-06 end with the registration of another person by a reset of the password', async () => {
    const service = await bed.start(withPasskeys())
    const attacker = await register(service)
    const { credential } = await addPasskey(service, attacker.accessToken)
    await resetPassword(service)
    expect((await tryLogin(service, credential)).body.code).toBe('invalid_passkey')
  })

  it('PSK-06 end with the registration of another person by a login by mail', async () => {
    const service = await bed.start({ ...withPasskeys(), links: true })
    const attacker = await register(service)
    const { credential } = await addPasskey(service, attacker.accessToken)
    const { requestToken } = await service.auth.links.request({ email: 'ada@x.io' })
    await service.auth.stop()
    const mail = service.mails.findLast(({ kind }) => kind === 'login-link')
    const token = new URL(mail?.link ?? '').searchParams.get('token') ?? ''
    await post(service, '/login-link/complete', { requestToken, token }).expect(200)
    expect((await tryLogin(service, credential)).body.code).toBe('invalid_passkey')
  })

  it('report a login from a new device', async () => {
    const service = await bed.start(withPasskeys())
    const { accessToken } = await register(service)
    const { credential } = await addPasskey(service, accessToken)
    const { publicKey, requestToken } = await service.auth.passkeys.beginLogin()
    const input = { requestToken, credential: signChallenge(credential, publicKey) }
    await service.auth.passkeys.completeLogin(input, { device: 'another browser' })
    await expect.poll(() => service.mails.map(({ kind }) => kind)).toContain('new-device')
  })
})

describe('the options of passkeys', () => {
  const start = (options: object): unknown => passkeys({ ...relyingParty, ...options })

  it.each([
    [{ id: 'https://example.com' }, 'passkeys(): id: must be a domain in lower case'],
    [{ id: 'example.com:443' }, 'passkeys(): id: must be a domain'],
    [{ id: 'Example.com' }, 'passkeys(): id: must be a domain'],
    [{ id: 'com' }, 'passkeys(): id: must be a domain'],
    [{ id: '127.0.0.1' }, 'passkeys(): id: must be a domain'],
    [{ id: 'example.com.' }, 'passkeys(): id: must be a domain'],
    [{ origins: [] }, 'passkeys(): origins: '],
    [{ origins: ['https://app.example.com/'] }, 'must be an origin such as https://example.com'],
    [{ origins: ['https://app.example.com/path'] }, 'without path'],
    [{ origins: ['https://app.example.com:443'] }, 'default port'],
    [{ origins: ['https://App.example.com'] }, 'in lower case'],
    [{ origins: ['app.example.com'] }, 'must be an origin'],
    [{ origins: ['*'] }, 'must be an origin'],
    [{ origins: ['http://app.example.com'] }, 'must begin with https://, except for localhost.'],
    [{ origins: ['ftp://app.example.com'] }, 'must be'],
    [{ origins: ['https://example.org'] }, 'its host must be example.com or a subdomain of it.'],
    [{ origins: ['https://notexample.com'] }, 'does not belong to the id example.com'],
    [{ origins: ['http://localhost:3000'] }, 'does not belong to the id'],
    [{ userVerification: 'discouraged' }, 'passkeys(): userVerification: '],
    [{ name: '' }, 'passkeys(): name: '],
    [{ rpId: 'example.com' }, 'passkeys(): options: '],
  ])('%j are refused: %s', (options, message) => {
    expect(() => start(options)).toThrow(message)
    expect(() => start(options)).toThrow(TypeError)
  })

  it.each([
    { id: 'localhost', origins: ['http://localhost:3000'] },
    { id: 'example.com', origins: ['https://example.com', 'https://a.b.example.com:8443'] },
    { origins: [`android:apk-key-hash:${'a'.repeat(43)}`] },
    { id: 'xn--bcher-kva.example', origins: ['https://xn--bcher-kva.example'] },
  ])('%j are accepted', (options) => {
    expect(start(options)).toMatchObject({ name: 'passkeys' })
  })

  it('are those of createSignIn only if passkeys() has made them', async () => {
    await expect(bed.start({ passkeys: JSON.parse('{"id":"example.com"}') })).rejects.toThrow(
      'createSignIn(): passkeys: must be passkeys({ … }) of @create-api/sign-in/passkeys',
    )
    const service = await bed.start()
    await post(service, '/passkeys/login/options', {}).expect(404)
    expect(service.auth.passkeys).toBeUndefined()
  })
})

describe('attacks on passkeys', () => {
  async function target(options: Partial<PasskeyOptions> = {}): Promise<{
    service: Service
    user: EnrolledUser
    credential: Credential
  }> {
    const service = await bed.start(withPasskeys(options))
    const user = await enrol(bed, service)
    const { credential } = await addPasskey(service, user.accessToken, {})
    return { service, user, credential }
  }

  const forged: readonly (readonly [string, Behaviour])[] = [
    ['another origin', { origin: 'https://evil.example' }],
    ['an origin that contains ours', { origin: 'https://app.example.com.evil.example' }],
    ['another subdomain', { origin: 'https://other.example.com' }],
    ['another scheme', { origin: 'http://app.example.com' }],
    ['another id of the relying party', { rpId: 'app.example.com' }],
    ['another challenge', { challenge: 'A'.repeat(43) }],
    ['another type', { type: 'payment.get' }],
    ['a page that embeds ours', { crossOrigin: true }],
    ['an authenticator that did not verify the user', { verifies: false }],
    ['an authenticator without the user', { present: false }],
  ]

  it.each(forged)('PSK-01 an assertion of %s is rejected', async (_, behaviour) => {
    const { credential, service, user } = await target()
    const { body } = await tryLogin(service, credential, behaviour)
    expect(body).toMatchObject({ status: 401, code: 'invalid_passkey' })
    expect(last(service, 'auth.passkey_failed')).toMatchObject({
      userId: user.id,
      reason: 'not_verified',
    })
    expect((await tryLogin(service, credential)).status).toBe(200)
  })

  it.each(forged)('PSK-01 a registration of %s is rejected', async (_, behaviour) => {
    const service = await bed.start(withPasskeys())
    const { accessToken } = await register(service)
    const { publicKey, requestToken } = await beginRegistration(service, accessToken)
    const { response } = createCredential(publicKey, behaviour)
    const input = { requestToken, credential: response }
    const { body } = await post(service, '/passkeys', input, accessToken).expect(401)
    expect(body.code).toBe('invalid_passkey')
    expect(await list(service, accessToken)).toEqual([])
  })

  it.each<readonly [string, Behaviour]>([
    ['an algorithm that was not offered', { algorithm: 'ES384' }],
    ['a key that names an algorithm of another type', { algorithm: 'ES256', named: -257 }],
    ['a key that names an algorithm of another curve', { algorithm: 'ES384', named: -7 }],
    ['a key without an algorithm that exists', { named: 0 }],
    ['a key of HMAC', { named: 5 }],
  ])('PSK-01 a registration with %s is rejected', async (_, behaviour) => {
    const service = await bed.start(withPasskeys())
    const { accessToken } = await register(service)
    const { publicKey, requestToken } = await beginRegistration(service, accessToken)
    const { response } = createCredential(publicKey, behaviour)
    const input = { requestToken, credential: response }
    const { body } = await post(service, '/passkeys', input, accessToken).expect(401)
    expect(body.code).toBe('invalid_passkey')
  })

  it('PSK-03 a counter that goes back is rejected and reported, and the authenticator itself continues', async () => {
    const { credential, service, user } = await target()
    expect((await tryLogin(service, credential, { counter: 7 })).status).toBe(200)
    for (const counter of [7, 6, 0]) {
      const { body } = await tryLogin(service, credential, { counter })
      expect(body.code).toBe('invalid_passkey')
      const event = { userId: user.id, reason: 'counter' }
      expect(last(service, 'auth.passkey_failed')).toMatchObject(event)
    }
    expect((await tryLogin(service, credential, { counter: 8 })).status).toBe(200)
  })

  it('PSK-02 of uses of one response, also in two processes at once, one succeeds', async () => {
    const { credential, service } = await target()
    const other = await bed.start(withPasskeys())
    for (let round = 0; round < 10; round += 1) {
      const { publicKey, requestToken } = await begin(service, '/passkeys/login/options')
      const input = { requestToken, credential: signChallenge(credential, publicKey) }
      const responses = await Promise.all(
        [service, other, service, other].map((process) => post(process, '/passkeys/login', input)),
      )
      const codes = responses.map(({ body }) => String(body.code ?? 'accepted'))
      const others = Array.from({ length: 3 }, () => 'invalid_token')
      expect(codes.toSorted()).toEqual(['accepted', ...others])
    }
  })

  it('PSK-02 of registrations with one response, one succeeds', async () => {
    const service = await bed.start(withPasskeys())
    const { accessToken } = await register(service)
    const { publicKey, requestToken } = await beginRegistration(service, accessToken)
    const { response: credential } = createCredential(publicKey)
    const responses = await Promise.all(
      Array.from({ length: 4 }, () =>
        post(service, '/passkeys', { requestToken, credential }, accessToken),
      ),
    )
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(await list(service, accessToken)).toHaveLength(1)
  })

  it('PSK-02 a challenge ends after five minutes', async () => {
    const { credential, service } = await target()
    const { publicKey, requestToken } = await begin(service, '/passkeys/login/options')
    bed.now += 5 * 60_000
    const input = { requestToken, credential: signChallenge(credential, publicKey) }
    const { body } = await post(service, '/passkeys/login', input).expect(401)
    expect(body.code).toBe('invalid_token')
  })

  it('PSK-02 a response does not work in another browser', async () => {
    const { credential, service } = await target()
    const own = await begin(service, '/passkeys/login/options')
    const other = await begin(service, '/passkeys/login/options')
    const input = {
      requestToken: other.requestToken,
      credential: signChallenge(credential, own.publicKey),
    }
    const { body } = await post(service, '/passkeys/login', input).expect(401)
    expect(body.code).toBe('invalid_passkey')
  })

  it('PSK-02 a challenge works for its purpose, its user and its session only', async () => {
    const { credential, service, user } = await target()
    const proof = '/reauthenticate/passkey'
    const login = await begin(service, '/passkeys/login/options')
    const again = await begin(service, `${proof}/options`, user.accessToken)
    const toInput = ({ publicKey, requestToken }: BegunPasskeyAssertion): object => ({
      requestToken,
      credential: signChallenge(credential, publicKey),
    })
    await post(service, proof, toInput(login), user.accessToken).expect(401)
    await post(service, '/passkeys/login', toInput(again)).expect(401)

    const mallory = await register(service, 'mallory@x.io')
    const begun = await beginRegistration(service, user.accessToken)
    const { response } = createCredential(begun.publicKey)
    const input = { requestToken: begun.requestToken, credential: response }
    const stolen = await post(service, '/passkeys', input, mallory.accessToken).expect(401)
    expect(stolen.body.code).toBe('invalid_token')
    const { body } = await tryLogin(service, credential)
    // Another session of the same user.
    await post(service, '/passkeys', input, body.data.accessToken).expect(401)
    await post(service, '/passkeys', input, user.accessToken).expect(201)
  })

  it('PSK-04 a proof by the passkey of another user is rejected', async () => {
    const { service, user } = await target()
    const mallory = await register(service, 'mallory@x.io')
    const own = await addPasskey(service, mallory.accessToken)
    const proof = '/reauthenticate/passkey'
    const { publicKey, requestToken } = await begin(service, `${proof}/options`, user.accessToken)
    for (const userHandle of [undefined, null]) {
      const response = signChallenge(own.credential, publicKey, { userHandle })
      const input = { requestToken, credential: response }
      await post(service, proof, input, user.accessToken).expect(401)
    }
  })

  it('PSK-04 a login as another user by the handle is rejected, and so is one without a handle', async () => {
    const { credential, service, user } = await target()
    const mallory = await register(service, 'mallory@x.io')
    const own = await addPasskey(service, mallory.accessToken)
    const handles = [credential.userHandle, null, Buffer.from(user.id).toString('base64url')]
    for (const userHandle of handles) {
      const { body } = await tryLogin(service, own.credential, { userHandle })
      expect(body.code).toBe('invalid_passkey')
    }
    // The key of one, the id of the other.
    const { body } = await tryLogin(service, { ...own.credential, id: credential.id })
    expect(body.code).toBe('invalid_passkey')
  })

  it('PSK-04 a credential of another user cannot be registered', async () => {
    const { credential, service, user } = await target()
    const mallory = await register(service, 'mallory@x.io')
    const { publicKey, requestToken } = await beginRegistration(service, mallory.accessToken)
    const { response } = createCredential(publicKey, { credentialId: credential.id })
    const input = { requestToken, credential: response }
    const { body } = await post(service, '/passkeys', input, mallory.accessToken).expect(409)
    expect(body.code).toBe('passkey_exists')
    const login = await tryLogin(service, credential)
    expect(login.body.data.user.id).toBe(user.id)
  })

  it('tokens of one kind are not tokens of another kind', async () => {
    const { credential, service, user } = await target({ userVerification: 'preferred' })
    const { body: step } = await tryLogin(service, credential, { verifies: false })
    expect(step.code).toBe('second_factor_required')
    const { publicKey, requestToken } = await begin(service, '/passkeys/login/options')
    await get(service, '/me', requestToken).expect(401)
    await get(service, '/me', step.token).expect(401)
    const code = codeOf(user.secret, bed.now)
    await post(service, '/second-factor', { token: requestToken, code }).expect(401)
    const response = signChallenge(credential, publicKey)
    const input = { requestToken: step.token, credential: response }
    await post(service, '/passkeys/login', input).expect(401)
  })

  it('an unknown passkey gets the response of a wrong one', async () => {
    const { credential, service } = await target()
    const unknown = { ...credential, id: 'A'.repeat(22) }
    const [first, second] = [
      await tryLogin(service, unknown),
      await tryLogin(service, credential, { origin: 'https://evil.example' }),
    ]
    const toComparable = ({ body, status }: request.Response): object => ({
      ...body,
      status,
      requestId: '',
      instance: '',
    })
    expect(toComparable(first)).toEqual(toComparable(second))
  })

  it('input that is too long or of another form is refused before it is read', async () => {
    const { credential, service } = await target()
    const { publicKey, requestToken } = await begin(service, '/passkeys/login/options')
    const valid = signChallenge(credential, publicKey)
    const long = 'A'.repeat(20_000)
    const inputs = [
      { ...valid, id: long, rawId: long },
      { ...valid, type: 'password' },
      { ...valid, response: { ...valid.response, clientDataJSON: long } },
      { ...valid, response: { ...valid.response, authenticatorData: long } },
      { ...valid, response: { ...valid.response, signature: long } },
      { ...valid, response: { ...valid.response, userHandle: long } },
      { ...valid, response: { ...valid.response, signature: { $gt: '' } } },
      { ...valid, response: { ...valid.response, signature: `${valid.response.signature}=` } },
      { ...valid, id: { $ne: '' } },
      {},
    ]
    for (const input of inputs) {
      await post(service, '/passkeys/login', { requestToken, credential: input }).expect(422)
    }
    await post(service, '/passkeys/login', { requestToken, credential: valid }).expect(200)
  })

  it('stores neither tokens nor challenges, and no private key', async () => {
    const { service } = await target()
    const { publicKey, requestToken } = await begin(service, '/passkeys/login/options')
    const challenges = bed.connection().collection('passkeychallenges')
    const stored = JSON.stringify(await challenges.find().toArray())
    expect(stored).toContain('login')
    expect(stored).not.toContain(requestToken)
    expect(stored).not.toContain(publicKey.challenge)
  })
})
