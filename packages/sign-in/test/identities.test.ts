import { generateKeyPairSync } from 'node:crypto'
import { ApiError, createApi, createRegistry } from '@create-api/core'
import { createSignIn } from '@create-api/sign-in'
import {
  apple,
  github,
  google,
  microsoft,
  openId,
  type OpenIdOptions,
  providers,
  type ProviderFetch,
  type ProvidersOptions,
} from '@create-api/sign-in/providers'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import mongoose from 'mongoose'
import request from 'supertest'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { logIn, openBrowser } from './browser.ts'
import {
  codeOf,
  createTestBed,
  enrol,
  post,
  register,
  type Service,
  testSecret,
} from './fixture.ts'
import { clientId, send, startProvider } from './provider.ts'

const bed = createTestBed()
const provider = startProvider()

function company(own: Partial<OpenIdOptions> = {}): ReturnType<typeof openId> {
  return openId({ issuer: provider.url, clientId, clientSecret: 'secret', ...own })
}

function start(options: ProvidersOptions = {}, own: Partial<OpenIdOptions> = {}): Promise<Service> {
  return bed.start({
    providers: providers({ company: company(own) }, { timeout: '1s', ...options }),
  })
}

function get({ app }: Service, path: string, token: string): request.Test {
  return request(app).get(`/api/v1/auth${path}`).set('Authorization', `Bearer ${token}`)
}

function unlink({ app }: Service, token: string): request.Test {
  return request(app)
    .delete('/api/v1/auth/identities/company')
    .set('Authorization', `Bearer ${token}`)
}

async function link(service: Service, token: string): Promise<request.Response> {
  const browser = openBrowser(service)
  const input = { codeChallenge: browser.challenge }
  const { body } = await post(service, '/identities/company/link', input, token).expect(201)
  const back = await browser.visit(provider.authorize(await browser.visit(body.data.url)))
  const code = new URL(back).searchParams.get('code')
  const end = { code, codeVerifier: browser.verifier }
  return post(service, '/identities/link/complete', end, token)
}

async function nonceOf({ app }: Service): Promise<string> {
  const { body } = await request(app).post('/api/v1/auth/identities/nonce').expect(201)
  return body.data.nonce
}

const eventsOf = ({ events }: Service): string[] => events.map(({ event }) => event)

describe('a login with a provider', () => {
  it('registers a user whose address is verified, and logs the same user in afterwards', async () => {
    const service = await start()
    const first = await logIn(service, provider)
    expect(first.status).toBe(200)
    expect(first.body.data.user).toMatchObject({ email: 'ada@x.io', emailVerified: true })
    provider.claims['email'] = 'new@x.io'
    const second = await logIn(service, provider)
    expect(second.body.data.user).toMatchObject({
      id: first.body.data.user.id,
      email: 'ada@x.io',
    })
    expect(eventsOf(service)).toEqual([
      'auth.registered',
      'auth.identity_used',
      'auth.tokens_issued',
      'auth.identity_used',
      'auth.tokens_issued',
    ])
  })

  it('asks with PKCE, state and nonce, and the exact URL of the callback', async () => {
    const service = await start({}, { parameters: { prompt: 'login' }, scopes: ['groups'] })
    const browser = openBrowser(service)
    const url = new URL(await browser.begin('company'))
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: clientId,
      redirect_uri: 'http://api.example.com/api/v1/auth/identities/company/callback',
      response_type: 'code',
      scope: 'openid email profile groups',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      prompt: 'login',
    })
  })

  it('sets a cookie for this browser only, and keeps no secret readable', async () => {
    const service = await start()
    const path = `/api/v1/auth/identities/company?codeChallenge=${'a'.repeat(43)}`
    const response = await request(service.app).get(path).expect(303)
    expect(response.get('Set-Cookie')).toEqual([
      expect.stringMatching(
        /^__Host-identity=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ])
    expect(response.text).toBe('')
    const browser = openBrowser(service)
    const back = await browser.visit(provider.authorize(await browser.begin('company')))
    const stored = JSON.stringify(
      await bed.connection().collection('identitysteps').find().toArray(),
    )
    for (const secret of [new URL(back).searchParams.get('code'), browser.challenge, 'ada@x.io']) {
      expect(stored).not.toContain(secret)
    }
  })

  it('can be begun in several tabs of a browser', async () => {
    const service = await start()
    const [first, second] = [openBrowser(service), openBrowser(service)]
    const one = await first.begin('company')
    second.cookie = first.cookie
    const two = await second.begin('company')
    expect(second.cookie).toBe(first.cookie)
    await first.complete(await first.visit(provider.authorize(one))).expect(200)
    await second.complete(await second.visit(provider.authorize(two))).expect(200)
  })

  it('returns to the page of the mail option, or to one of returnUrls', async () => {
    const service = await start()
    const browser = openBrowser(service)
    const back = await browser.visit(provider.authorize(await browser.begin('company')))
    expect(back).toMatch(/^https:\/\/app\.example\.com\/login-callback\?code=[\w-]{43}$/)
    const returnUrls = ['https://a.example.com/in?x=1', 'com.example.app:/in']
    const other = openBrowser(await start({ returnUrls }))
    const returnTo = 'com.example.app:/in'
    const url = await other.begin('company', { returnTo })
    expect(await other.visit(provider.authorize(url))).toMatch(/^com\.example\.app:\/in\?code=/)
    const first = await other.visit(provider.authorize(await other.begin('company')))
    expect(first).toMatch(/^https:\/\/a\.example\.com\/in\?x=1&code=/)
  })

  it('has the origin of apiUrl in its callback', async () => {
    const service = await start({ apiUrl: 'https://public.example.com' })
    const url = new URL(await openBrowser(service).begin('company'))
    expect(url.searchParams.get('redirect_uri')).toBe(
      'https://public.example.com/api/v1/auth/identities/company/callback',
    )
  })

  it('needs the second factor of the user', async () => {
    const service = await start({}, { trustEmail: true })
    const { id, secret } = await enrol(bed, service)
    await service.auth.users.update(id, { emailVerified: true })
    const { body, status } = await logIn(service, provider)
    expect([status, body.code]).toEqual([401, 'second_factor_required'])
    const code = codeOf(secret, bed.now)
    await post(service, '/second-factor', { token: body.token, code }).expect(200)
  })

  it('runs the hooks of registration and login, which can reject it', async () => {
    const calls: string[] = []
    const service = await bed.start(
      { providers: providers({ company: company() }) },
      {
        hooks: {
          beforeRegister({ email }) {
            calls.push(`before register ${email}`)
            if (email === 'banned@x.io') throw new ApiError('forbidden')
          },
          afterRegister: ({ email }) => void calls.push(`after register ${email}`),
          beforeLogin: ({ email }) => void calls.push(`before login ${email}`),
          afterLogin: ({ email }) => void calls.push(`after login ${email}`),
        },
      },
    )
    await logIn(service, provider)
    expect(calls).toEqual([
      'before register ada@x.io',
      'after register ada@x.io',
      'before login ada@x.io',
      'after login ada@x.io',
    ])
    provider.claims = { sub: 'banned', email: 'banned@x.io', email_verified: true }
    expect((await logIn(service, provider)).status).toBe(403)
    expect(await bed.connection().collection('identities').countDocuments()).toBe(1)
  })

  it('takes own fields of a new user from the claims, and asks for those that are missing', async () => {
    const service = await bed.start(
      { providers: providers({ company: company() }, { fields: ({ name }) => ({ name }) }) },
      {
        modelPrefix: 'Own',
        userFields: {
          model: { name: String, nick: String },
          input: { name: z.string(), nick: z.string().min(2) },
          output: { name: z.string(), nick: z.string() },
        },
      },
    )
    const browser = openBrowser(service)
    const back = await browser.visit(provider.authorize(await browser.begin('company')))
    const { body } = await browser.complete(back).expect(422)
    expect(body.errors).toMatchObject([{ pointer: '#/fields/nick' }])
    const done = await browser.complete(back, { fields: { nick: 'countess' } }).expect(200)
    expect(done.body.data.user).toMatchObject({ name: 'Ada', nick: 'countess' })
    await browser.complete(back, { fields: { nick: 'countess' } }).expect(401)
  })

  it('creates users only where there is a registration', async () => {
    const closed = await bed.start(
      { providers: providers({ company: company() }) },
      { routes: { except: ['register'] } },
    )
    expect((await logIn(closed, provider)).body.code).toBe('registration_closed')
    expect((await logIn(await start({ registration: false }), provider)).body.code).toBe(
      'registration_closed',
    )
    const open = await bed.start(
      { providers: providers({ company: company() }, { registration: true }) },
      { routes: { except: ['register'] } },
    )
    expect((await logIn(open, provider)).status).toBe(200)
  })

  it('reads an address that is at the UserInfo endpoint only', async () => {
    const service = await start()
    provider.changes = { email: undefined, email_verified: undefined }
    expect((await logIn(service, provider)).body.data.user.email).toBe('ada@x.io')
  })

  it('does not open a session for a user who is disabled', async () => {
    const service = await start()
    const { body } = await logIn(service, provider)
    await service.auth.users.update(body.data.user.id, { disabled: true })
    expect((await logIn(service, provider)).body.code).toBe('invalid_credentials')
  })

  it('ends with the user who was removed', async () => {
    const service = await start()
    const { body } = await logIn(service, provider)
    await service.auth.removeUser(body.data.user.id)
    expect(await bed.connection().collection('identities').countDocuments()).toBe(0)
    const again = await logIn(service, provider)
    expect(again.body.data.user.id).not.toBe(body.data.user.id)
  })

  it('IDP-05 of two processes at once creates one user', async () => {
    const services = [await start(), await start()]
    for (let round = 0; round < 5; round += 1) {
      provider.claims = { sub: `u${round}`, email: `u${round}@x.io`, email_verified: true }
      const responses = await Promise.all(
        services.flatMap((service) => [logIn(service, provider), logIn(service, provider)]),
      )
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(new Set(responses.map(({ body }) => body.data.user.id)).size).toBe(1)
    }
  })

  it('goes on after a process that ended while it linked the account', async () => {
    const service = await start()
    const { body } = await logIn(service, provider)
    const identities = bed.connection().collection('identities')
    await service.auth.users.update(body.data.user.id, { email: 'old@x.io' })
    await identities.updateOne({}, { $set: { userId: null, expiresAt: new Date(bed.now - 1) } })
    expect((await logIn(service, provider)).status).toBe(200)
  })

  it('returns with our error when the user refuses, and when the provider fails', async () => {
    const service = await start()
    for (const [error, expected] of [
      ['access_denied', 'access_denied'],
      ['server_error', 'provider_unavailable'],
      ['<script>', 'invalid_identity'],
    ] as const) {
      const browser = openBrowser(service)
      const asked = new URL(await browser.begin('company')).searchParams
      const back = new URL(asked.get('redirect_uri') ?? '')
      const refusal = { error, error_description: 'text', iss: provider.url }
      back.search = new URLSearchParams({ ...refusal, state: asked.get('state') ?? '' }).toString()
      expect(await browser.visit(back.href)).toBe(
        `https://app.example.com/login-callback?error=${expected}`,
      )
    }
  })

  it('works with services instead of routes', async () => {
    const { auth } = await start()
    const browser = openBrowser(await start())
    const redirectUri = 'https://api.example.com/callback'
    const { browserToken, url } = await auth.identities.begin(
      'company',
      { codeChallenge: browser.challenge },
      { redirectUri },
    )
    const { search } = new URL(provider.authorize(url))
    const back = await auth.identities.receive('company', { search, browserToken })
    const code = new URL(back).searchParams.get('code') ?? ''
    const { user } = await auth.identities.complete({ code, codeVerifier: browser.verifier })
    expect(await auth.identities.list(user.id)).toMatchObject([{ provider: 'company' }])
    await expect(
      auth.identities.begin('other', { codeChallenge: browser.challenge }, { redirectUri }),
    ).rejects.toMatchObject({ code: 'not_found' })
  })

  it('has a limit of failures for each address', async () => {
    const service = await bed.start(
      { providers: providers({ company: company() }) },
      { limits: { perAddress: { identityLogin: { limit: 3 } } } },
    )
    const browser = openBrowser(service)
    const statuses = []
    for (let count = 0; count < 5; count += 1) {
      statuses.push((await browser.complete('http://none')).status)
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429])
  })
})

describe('the address of an account', () => {
  it('IDP-04 is linked to a user with that address if both are verified and the provider is trusted', async () => {
    const service = await start({}, { trustEmail: true })
    const { id } = await register(service)
    await service.auth.users.update(id, { emailVerified: true })
    const { body } = await logIn(service, provider)
    expect(body.data.user.id).toBe(id)
    await service.auth.stop()
    expect(service.mails.map(({ kind }) => kind)).toContain('identity-linked')
  })

  it('IDP-04 is not linked if the provider is not trusted, or has not verified it', async () => {
    const service = await start()
    const { id } = await register(service)
    await service.auth.users.update(id, { emailVerified: true })
    const { body, status } = await logIn(service, provider)
    expect([status, body.code]).toEqual([409, 'identity_not_linked'])
    const trusting = await start({}, { trustEmail: true })
    for (const verified of [false, undefined, 'yes', 1]) {
      provider.claims['email_verified'] = verified
      const refused = await logIn(trusting, provider)
      expect([refused.status, refused.body.code]).toEqual([403, 'email_not_verified'])
    }
  })

  it('IDP-04 takes an account that another person registered: password, factors, other accounts and sessions end', async () => {
    const service = await start({}, { trustEmail: true })
    const attacker = await enrol(bed, service)
    provider.claims = { sub: 'mallory', email: 'mallory@x.io', email_verified: true }
    await link(service, attacker.accessToken)
    provider.claims = { sub: 'ada', email: 'ada@x.io', email_verified: true }
    const { body, status } = await logIn(service, provider)
    expect([status, body.data.user.id]).toEqual([200, attacker.id])
    await get(service, '/me', attacker.accessToken).expect(401)
    await post(service, '/login', { email: 'ada@x.io', password: 'TestRiver42!' }).expect(401)
    expect((await service.auth.factors.list(attacker.id)).factors).toEqual([])
    provider.claims = { sub: 'mallory', email: 'mallory@x.io', email_verified: true }
    expect((await logIn(service, provider)).body.data.user.id).not.toBe(attacker.id)
  })

  it('is not linked to a user who is disabled', async () => {
    const service = await start({}, { trustEmail: true })
    const { id } = await register(service)
    await service.auth.users.update(id, { disabled: true })
    expect((await logIn(service, provider)).body.code).toBe('invalid_credentials')
    expect(await service.auth.identities.list(id)).toEqual([])
  })
})

describe('linking an account', () => {
  it('of another address to a user who is logged in makes it a way to log in', async () => {
    const service = await start()
    const { id, accessToken } = await register(service, 'grace@x.io')
    const { body, status } = await link(service, accessToken)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ provider: 'company', email: 'ada@x.io' })
    expect((await logIn(service, provider)).body.data.user.id).toBe(id)
    const listed = await get(service, '/identities', accessToken).expect(200)
    expect(listed.body.data).toMatchObject([{ provider: 'company', email: 'ada@x.io' }])
    await service.auth.stop()
    expect(service.mails.map(({ kind }) => kind)).toContain('identity-linked')
  })

  it('is refused for an account of another user, and for a second one of the provider', async () => {
    const service = await start()
    await logIn(service, provider)
    const { accessToken } = await register(service, 'grace@x.io')
    expect((await link(service, accessToken)).body.code).toBe('identity_taken')
    provider.claims['sub'] = 'second'
    expect((await link(service, accessToken)).status).toBe(200)
    provider.claims['sub'] = 'third'
    expect((await link(service, accessToken)).body.code).toBe('identity_taken')
  })

  it('needs a recent proof, and ends with a change of the password', async () => {
    const service = await start()
    const { accessToken } = await register(service, 'grace@x.io')
    const browser = openBrowser(service)
    const input = { codeChallenge: browser.challenge }
    const { body } = await post(service, '/identities/company/link', input, accessToken)
    const change = { currentPassword: 'TestRiver42!', newPassword: 'OtherRiver43!' }
    await post(service, '/change-password', change, accessToken).expect(200)
    expect(await browser.visit(body.data.url)).toMatch(/\?error=invalid_token$/)
    await bed
      .connection()
      .collection('sessions')
      .updateMany({}, { $set: { authenticatedAt: new Date(Date.now() - 3_600_000) } })
    const stale = await post(service, '/identities/company/link', input, accessToken)
    expect(stale.body.code).toBe('reauthentication_required')
  })

  it('can be undone, unless no other way to log in is left', async () => {
    const service = await bed.start(
      {
        providers: providers({ company: company() }, { returnUrls: ['https://app.example.com/'] }),
      },
      { mail: false },
    )
    const { body } = await logIn(service, provider)
    const refused = await unlink(service, body.data.accessToken).expect(409)
    expect(refused.body.code).toBe('last_login_method')
    expect((await logIn(service, provider)).status).toBe(200)
    const { accessToken } = await register(service, 'grace@x.io')
    provider.claims['sub'] = 'second'
    await link(service, accessToken)
    const findOne = vi.spyOn(mongoose.mongo.Collection.prototype, 'findOne')
    // The database is lost before it is known whether another way is left.
    findOne.mockRejectedValueOnce(new Error('The database is away.'))
    await unlink(service, accessToken).expect(500)
    findOne.mockRestore()
    expect((await logIn(service, provider)).body.data.user.email).toBe('grace@x.io')
    await unlink(service, accessToken).expect(204)
    await unlink(service, accessToken).expect(404)
  })
})

describe('an ID token of an application', () => {
  it('logs in, for the client and the audiences', async () => {
    const service = await start({}, { audiences: ['blog-android'] })
    for (const aud of [clientId, 'blog-android', ['blog-android']]) {
      const nonce = await nonceOf(service)
      const idToken = await provider.sign({ ...provider.claims, aud, nonce })
      const { body } = await post(service, '/identities/company/token', { idToken, nonce })
      expect(body.data?.user.email).toBe('ada@x.io')
    }
  })

  it('works once, also for concurrent requests, and needs a nonce of this service', async () => {
    const service = await start()
    const nonce = await nonceOf(service)
    const idToken = await provider.sign({ ...provider.claims, nonce })
    const call = (): request.Test => post(service, '/identities/company/token', { idToken, nonce })
    const statuses = await Promise.all(
      [1, 2, 3, 4].map(async () => (await call().then((response) => response)).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    const own = 'n'.repeat(43)
    const other = await provider.sign({ ...provider.claims, nonce: own })
    const refused = await post(service, '/identities/company/token', { idToken: other, nonce: own })
    expect([refused.status, refused.body.code]).toEqual([401, 'invalid_token'])
  })
})

describe('tokens of a provider', () => {
  it('are not kept by default', async () => {
    const service = await start()
    const { body } = await logIn(service, provider)
    const { id } = body.data.user
    await expect(service.auth.identities.tokens(id, 'company')).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('are kept encrypted with keepTokens, and refreshed once when they expire', async () => {
    const service = await start({}, { keepTokens: true })
    const { body } = await logIn(service, provider)
    const { id } = body.data.user
    const first = await service.auth.identities.tokens(id, 'company')
    expect(first.accessToken).toMatch(/^[0-9a-f]{32}$/)
    const stored = JSON.stringify(await bed.connection().collection('identities').find().toArray())
    expect(stored).not.toContain(first.accessToken)
    bed.now += 3_600_000
    const renewed = await Promise.all(
      [1, 2].map(() => service.auth.identities.tokens(id, 'company')),
    )
    expect(renewed[0]?.accessToken).not.toBe(first.accessToken)
    expect(renewed[1]).toEqual(renewed[0])
    bed.now += 3_600_000
    provider.handlers.set('/token', (_req, res) => send(res, { error: 'invalid_grant' }, 400))
    await expect(service.auth.identities.tokens(id, 'company')).rejects.toMatchObject({
      code: 'invalid_identity',
    })
  })
})

describe('the discovery document', () => {
  it('is read at the first login, not at the start, and again after an hour', async () => {
    const service = await start()
    const count = (): number =>
      provider.requests.filter(({ path }) => path.startsWith('/.well-known')).length
    expect(count()).toBe(0)
    await logIn(service, provider)
    await logIn(service, provider)
    expect(count()).toBe(1)
    bed.now += 3_600_000
    await openBrowser(service).begin('company')
    expect(count()).toBe(2)
  })

  it('of a provider that is down is read again with the next login', async () => {
    const service = await start()
    provider.handlers.set('/.well-known/openid-configuration', (_req, res) => send(res, {}, 503))
    const browser = openBrowser(service)
    expect(await browser.begin('company')).toBe(
      'https://app.example.com/login-callback?error=provider_unavailable',
    )
    provider.handlers.clear()
    expect((await logIn(service, provider)).status).toBe(200)
  })
})

describe('the presets', () => {
  // What the real provider would receive, at this machine.
  const here =
    (hosts: readonly string[], path = ''): ProviderFetch =>
    (url, init) => {
      const { host, pathname, search } = new URL(url)
      if (!hosts.includes(host)) throw new Error(`unexpected request to ${host}`)
      return fetch(`${provider.url}${path}${pathname.replace(path, '')}${search}`, init)
    }

  const toDocument = (issuer: string): Record<string, unknown> => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    userinfo_endpoint: undefined,
  })

  it('google: trusts addresses of Gmail and Google Workspace', async () => {
    const issuer = 'https://accounts.google.com'
    provider.document = toDocument(issuer)
    provider.changes = { iss: issuer }
    const service = await bed.start({
      providers: providers(
        { google: google({ clientId, clientSecret: 's' }) },
        { fetch: here(['accounts.google.com']) },
      ),
    })
    const outcomes = []
    for (const [email, hd] of [
      ['ada@gmail.com', undefined],
      ['ada@example.org', 'example.org'],
      ['ada@x.io', undefined],
    ] as const) {
      const { id } = await register(service, email)
      await service.auth.users.update(id, { emailVerified: true })
      provider.claims = { sub: email, email, hd, email_verified: true }
      const browser = openBrowser(service)
      const url = new URL(provider.authorize(await browser.begin('google')))
      url.searchParams.set('iss', issuer)
      outcomes.push((await browser.complete(await browser.visit(url.href))).status)
    }
    expect(outcomes).toEqual([200, 200, 409])
    // Applications on Android get tokens whose issuer is named without a scheme.
    const nonce = await nonceOf(service)
    const claims = { sub: 'ada@gmail.com', iss: 'accounts.google.com', nonce }
    const idToken = await provider.sign(claims)
    const login = await post(service, '/identities/google/token', { idToken, nonce })
    expect(login.body.data.user.email).toBe('ada@gmail.com')
  })

  it('microsoft: accepts the issuer of each tenant, and addresses only with xms_edov', async () => {
    const host = 'https://login.microsoftonline.com'
    provider.document = {
      ...toDocument(host),
      issuer: `${host}/{tenantid}/v2.0`,
      authorization_response_iss_parameter_supported: undefined,
    }
    const sendHere: ProviderFetch = (url, init) => {
      const path = new URL(url).pathname.replace('/common/v2.0', '')
      return fetch(provider.url + path, init)
    }
    const service = await bed.start({
      providers: providers(
        { microsoft: microsoft({ clientId, clientSecret: 's', trustEmail: true }) },
        { fetch: sendHere },
      ),
    })
    const run = async (): Promise<request.Response> => {
      const browser = openBrowser(service)
      const url = new URL(provider.authorize(await browser.begin('microsoft')))
      url.searchParams.delete('iss')
      const back = await browser.visit(url.href)
      const error = new URL(back).searchParams.get('error')
      if (error) throw new Error(error)
      return browser.complete(back)
    }
    provider.changes = { iss: `${host}/tenant-a/v2.0`, tid: 'tenant-a' }
    expect((await run()).body.code).toBe('email_not_verified')
    provider.claims['xms_edov'] = true
    const first = await run()
    expect(first.body.data.user.email).toBe('ada@x.io')
    // The same subject of another tenant is another account.
    provider.claims['email'] = 'other@x.io'
    provider.changes = { iss: `${host}/tenant-b/v2.0`, tid: 'tenant-b' }
    expect((await run()).body.data.user.id).not.toBe(first.body.data.user.id)
    provider.changes = { iss: `${host}/tenant-b/v2.0`, tid: 'tenant-a' }
    await expect(run()).rejects.toThrow('invalid_identity')
  })

  it('github: reads user and primary address with the access token', async () => {
    let verified = true
    provider.handlers.set('/login/oauth/access_token', (_req, res, body) => {
      const isRight = body.get('client_secret') === 's' || body.get('code_verifier') !== null
      send(res, isRight ? { access_token: 'gho_1', token_type: 'bearer', scope: 'read:user' } : {})
    })
    provider.handlers.set('/user', (req, res) => {
      const isRight = req.headers.authorization === 'Bearer gho_1'
      send(res, isRight ? { id: 7, login: 'ada', name: 'Ada' } : {}, isRight ? 200 : 401)
    })
    provider.handlers.set('/user/emails', (_req, res) =>
      send(res, [
        { email: 'old@x.io', primary: false, verified: true },
        { email: 'ada@x.io', primary: true, verified },
      ]),
    )
    const service = await bed.start({
      providers: providers(
        { github: github({ clientId, clientSecret: 's' }) },
        { fetch: here(['github.com', 'api.github.com']) },
      ),
    })
    const run = async (): Promise<request.Response> => {
      const browser = openBrowser(service)
      const url = new URL(provider.authorize(await browser.begin('github')))
      url.searchParams.set('iss', 'https://github.com/login/oauth')
      return browser.complete(await browser.visit(url.href))
    }
    verified = false
    expect((await run()).body.code).toBe('email_not_verified')
    verified = true
    const first = await run()
    expect(first.body.data.user.email).toBe('ada@x.io')
    expect((await run()).body.data.user.id).toBe(first.body.data.user.id)
    // A GitHub App without the permission for addresses.
    for (const status of [403, 404]) {
      provider.handlers.set('/user/emails', (_req, res) => send(res, { message: 'no' }, status))
      provider.handlers.set('/user', (_req, res) => send(res, { id: 7, login: 'ada' }))
      expect((await run()).body.data.user.id).toBe(first.body.data.user.id)
      provider.handlers.set('/user', (_req, res) => send(res, { id: 8, login: 'bob' }))
      expect((await run()).body.code).toBe('email_not_verified')
    }
    await post(service, '/identities/github/token', { idToken: 'a', nonce: 'a' }).expect(404)
    provider.handlers.set('/user', (_req, res) => send(res, { id: 'x' }))
    const browser = openBrowser(service)
    const url = new URL(provider.authorize(await browser.begin('github')))
    url.searchParams.set('iss', 'https://github.com/login/oauth')
    expect(await browser.visit(url.href)).toMatch(/\?error=provider_unavailable$/)
  })

  it('apple: responds by a form, and gets a secret that the client signs', async () => {
    const issuer = 'https://appleid.apple.com'
    provider.document = {
      ...toDocument(issuer),
      authorization_response_iss_parameter_supported: undefined,
    }
    provider.claims = { sub: 'ada', email: 'ada@icloud.com', email_verified: 'true' }
    provider.changes = { iss: issuer }
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const service = await bed.start({
      providers: providers(
        { apple: apple({ clientId, teamId: 'TEAM123456', keyId: 'KEY1234567', privateKey: pem }) },
        { fetch: here(['appleid.apple.com']) },
      ),
    })
    const browser = openBrowser(service)
    const asked = new URL(await browser.begin('apple'))
    expect(asked.searchParams.get('response_mode')).toBe('form_post')
    const back = new URL(provider.authorize(asked.href))
    back.searchParams.delete('iss')
    back.searchParams.set('user', '{"name":{}}')
    // The browser sends no cookie with a form of another site.
    const form = await request(service.app)
      .post(back.pathname)
      .type('form')
      .send(back.search.slice(1))
      .expect(303)
    const location = form.headers['location'] ?? ''
    expect(location).toMatch(
      /^\/api\/v1\/auth\/identities\/apple\/callback\?code=\w+&state=[\w-]+$/,
    )
    const { body } = await browser.complete(await browser.visit(location)).expect(200)
    expect(body.data.user.email).toBe('ada@icloud.com')
    const sent = provider.requests.find(({ path }) => path === '/token')
    const secret = sent?.body.get('client_secret') ?? ''
    expect(decodeProtectedHeader(secret)).toEqual({ alg: 'ES256', kid: 'KEY1234567' })
    expect(decodeJwt(secret)).toMatchObject({ iss: 'TEAM123456', aud: issuer, sub: clientId })
  })
})

describe('providers()', () => {
  it('refuses options that are not valid, and names them', () => {
    const { url } = { url: 'https://login.example.com' }
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const own = openId({ issuer: url, clientId })
    const team = { clientId, teamId: 'TEAM123456', keyId: 'KEY1234567' }
    const cases: [() => unknown, RegExp][] = [
      [
        () => openId({ issuer: 'http://login.example.com', clientId }),
        /issuer must be a URL of https/,
      ],
      [() => openId({ issuer: 'login', clientId }), /issuer must be a URL/],
      [() => openId({ issuer: url, clientId: '' }), /needs clientId/],
      [() => microsoft({ clientId, tenant: 'a/b' }), /tenant/],
      [() => github({ clientId, url: 'git' }), /github\(\): url/],
      [() => apple({ ...team, teamId: 'x', privateKey: pem }), /teamId/],
      [() => apple({ ...team, privateKey: pem }), /privateKey/],
      [() => apple({ ...team, privateKey: 'x' }), /privateKey/],
      [() => providers({ Own: own }), /'Own' must consist of/],
      [() => providers({ complete: own }), /must not be complete/],
      [() => providers({ own }, { apiUrl: 'https://a.io/path' }), /apiUrl/],
      [() => providers({ own }, { returnUrls: ['/path'] }), /returnUrls/],
      [() => providers({ own }, { returnUrls: ['javascript:alert(1)'] }), /returnUrls/],
      [() => providers({ own }, { returnUrls: ['https://a.io/#x'] }), /returnUrls/],
      [() => providers({ own }, { timeout: '5m' }), /timeout must be from 1s to 1m/],
      [() => providers({ own }, Object({ retry: 1 })), /options/],
    ]
    for (const [create, message] of cases) {
      expect(create).toThrow(TypeError)
      expect(create).toThrow(message)
    }
  })

  it('needs pages to return to, and in production the origin of the API', async () => {
    const way = (options: ProvidersOptions = {}): object => ({
      providers: providers({ own: openId({ issuer: 'https://a.io', clientId }) }, options),
    })
    await expect(bed.start(way(), { mail: false })).rejects.toThrow('set returnUrls')
    const create = (): unknown =>
      createApi({
        routes: createRegistry(),
        database: false,
        environment: 'production',
        auth: { secrets: [testSecret], signIn: createSignIn(way()) },
      })
    expect(create).toThrow('set apiUrl')
  })
})
