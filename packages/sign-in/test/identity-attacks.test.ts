import { createHmac, generateKeyPairSync, randomInt, sign } from 'node:crypto'
import { openId, providers, type ProvidersOptions } from '@create-api/sign-in/providers'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { logIn, openBrowser } from './browser.ts'
import { createTestBed, post, register, type Service } from './fixture.ts'
import { clientId, startProvider } from './provider.ts'

const bed = createTestBed()
const provider = startProvider()
const other = startProvider()

function start(options: ProvidersOptions = {}): Promise<Service> {
  const own = { clientId, clientSecret: 'secret' }
  const company = openId({ ...own, issuer: provider.url })
  const second = openId({ ...own, issuer: other.url })
  return bed.start({
    providers: providers({ company, other: second }, { timeout: '1s', ...options }),
  })
}

const failed = (code: string): string => `https://app.example.com/login-callback?error=${code}`

describe('attacks on a login in a browser', () => {
  it('IDP-01 the response of another browser is not accepted, and does not end its login', async () => {
    const service = await start()
    const [ada, mallory] = [openBrowser(service), openBrowser(service)]
    const back = provider.authorize(await ada.begin('company'))
    await mallory.begin('company')
    expect(await mallory.visit(back)).toBe(failed('invalid_token'))
    mallory.cookie = undefined
    expect(await mallory.visit(back)).toBe(failed('invalid_token'))
    await ada.complete(await ada.visit(back)).expect(200)
  })

  it('IDP-01 a state and a code of different logins do not belong together', async () => {
    const service = await start()
    const [ada, mallory] = [openBrowser(service), openBrowser(service)]
    const own = new URL(provider.authorize(await ada.begin('company')))
    const stolen = new URL(provider.authorize(await mallory.begin('company')))
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '')
    expect(await ada.visit(own.href)).toBe(failed('invalid_identity'))
  })

  it('IDP-01 a response works once', async () => {
    const service = await start()
    const browser = openBrowser(service)
    const back = provider.authorize(await browser.begin('company'))
    const pages = await Promise.all([1, 2, 3].map(() => browser.visit(back)))
    expect(pages.filter((page) => page.includes('?code='))).toHaveLength(1)
  })

  it('IDP-01 the code in the URL works once, and only for the page that keeps the verifier', async () => {
    const service = await start()
    const [browser, mallory] = [openBrowser(service), openBrowser(service)]
    const page = await browser.visit(provider.authorize(await browser.begin('company')))
    expect((await mallory.complete(page)).body.code).toBe('invalid_token')
    const statuses = await Promise.all(
      [1, 2, 3].map(async () => (await browser.complete(page).then((response) => response)).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  })

  it('IDP-01 a login ends after 10 minutes', async () => {
    const service = await start()
    const browser = openBrowser(service)
    const back = provider.authorize(await browser.begin('company'))
    bed.now += 600_001
    expect(await browser.visit(back)).toBe(failed('invalid_token'))
    bed.now -= 600_001
    const page = await browser.visit(back)
    bed.now += 600_001
    await browser.complete(page).expect(401)
  })

  it('IDP-01 the response of one provider is not accepted at the callback of another (mix-up)', async () => {
    const service = await start()
    const browser = openBrowser(service)
    const back = new URL(provider.authorize(await browser.begin('company')))
    const elsewhere = new URL(back.href.replace('/company/', '/other/'))
    expect(await browser.visit(elsewhere.href)).toBe(failed('invalid_token'))
    back.searchParams.set('iss', other.url)
    expect(await browser.visit(back.href)).toBe(failed('invalid_identity'))
    const again = new URL(provider.authorize(await browser.begin('company')))
    again.searchParams.delete('iss')
    expect(await browser.visit(again.href)).toBe(failed('invalid_identity'))
    expect(other.requests.filter(({ path }) => path === '/token')).toEqual([])
  })

  it('IDP-03 only the URLs of returnUrls can be returned to', async () => {
    const service = await start({ returnUrls: ['https://app.example.com/in'] })
    for (const returnTo of [
      'https://evil.example/',
      '//evil.example/in',
      'https://app.example.com.evil.example/in',
      'https://app.example.com@evil.example/in',
      'https://app.example.com/in/../out',
      'https://app.example.com/in?next=https://evil.example',
      'https://app.example.com/in#x',
      'https://app.example.com\\@evil.example/in',
      'HTTPS://app.example.com/in',
      'http://app.example.com/in',
      ' https://app.example.com/in',
      'https://app.example.com/in%0d%0aLocation:x',
      'javascript:alert(1)',
      '/in',
      '',
    ]) {
      const query = new URLSearchParams({ codeChallenge: 'a'.repeat(43), returnTo }).toString()
      await request(service.app).get(`/api/v1/auth/identities/company?${query}`).expect(400)
    }
  })

  it('IDP-04 a link does not connect the account of the person who opens it', async () => {
    const service = await start()
    const { accessToken, id } = await register(service, 'mallory@x.io')
    const [mallory, ada] = [openBrowser(service), openBrowser(service)]
    const input = { codeChallenge: mallory.challenge }
    const { body } = await post(service, '/identities/company/link', input, accessToken)
    const page = await ada.visit(provider.authorize(await ada.visit(body.data.url)))
    // The page in the browser of Ada completes a login, or a link of Ada, with its own verifier.
    expect((await ada.complete(page)).body.code).toBe('invalid_token')
    const code = new URL(page).searchParams.get('code')
    const grace = await register(service, 'grace@x.io')
    for (const codeVerifier of [ada.verifier, mallory.verifier]) {
      const end = { code, codeVerifier }
      await post(service, '/identities/link/complete', end, grace.accessToken).expect(401)
    }
    expect((await mallory.complete(page)).body.code).toBe('invalid_token')
    expect(await service.auth.identities.list(id)).toEqual([])
    expect(await ada.visit(body.data.url)).toBe(failed('invalid_token'))
  })
})

describe('IDP-02 ID tokens that are not accepted', () => {
  const forged: Record<string, () => Promise<string> | string> = {
    'of another audience': () => provider.sign({ ...claims(), aud: 'other' }),
    'of several audiences without a party': () =>
      provider.sign({ ...claims(), aud: [clientId, 'other'] }),
    'of another party': () => provider.sign({ ...claims(), azp: 'other' }),
    'of another issuer': () => provider.sign({ ...claims(), iss: other.url }),
    'of the keys of another issuer': () => other.sign({ ...claims(), iss: provider.url }),
    'that has expired': () => provider.sign({ ...claims(), exp: seconds() - 120 }),
    'that is not valid yet': () => provider.sign({ ...claims(), nbf: seconds() + 120 }),
    'of the future': () => provider.sign({ ...claims(), iat: seconds() + 120 }),
    'without expiry': () => provider.sign({ ...claims(), exp: undefined }),
    'without a nonce': () => provider.sign({ ...claims(), nonce: undefined }),
    'with another nonce': () => provider.sign({ ...claims(), nonce: 'x'.repeat(43) }),
    'without a subject': () => provider.sign({ ...claims(), sub: undefined }),
    'with an empty subject': () => provider.sign({ ...claims(), sub: '' }),
    'with alg none': () => encode({ alg: 'none' }, ''),
    'with alg none and a key': () => encode({ alg: 'none', kid: 'key' }, ''),
    'with the public key as the secret of HS256': async () => {
      const pem = await provider.publicPem()
      return encode({ alg: 'HS256', kid: 'key' }, (text) =>
        createHmac('sha256', pem).update(text).digest('base64url'),
      )
    },
    'with a key in its header': () => {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const jwk = publicKey.export({ format: 'jwk' })
      return encode({ alg: 'RS256', jwk }, (text) =>
        sign('sha256', Buffer.from(text), privateKey).toString('base64url'),
      )
    },
    'with an unknown key': () => provider.sign(claims(), { kid: 'other' }),
    'that is not a token': () => 'a.b.c',
  }
  let nonce = ''
  const seconds = (): number => Math.floor(Date.now() / 1000)
  const claims = (): Record<string, unknown> => ({ ...provider.claims, nonce })
  const encode = (header: object, signature: string | ((text: string) => string)): string => {
    const body = {
      iss: provider.url,
      aud: clientId,
      iat: seconds(),
      exp: seconds() + 60,
      ...claims(),
    }
    const text = [header, body]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    return `${text}.${typeof signature === 'string' ? signature : signature(text)}`
  }
  const nonceOf = async ({ auth }: Service): Promise<string> =>
    (await auth.identities.createNonce()).token

  for (const [name, forge] of Object.entries(forged)) {
    it(`${name} is rejected`, async () => {
      const service = await start()
      nonce = await nonceOf(service)
      const idToken = await forge()
      const { body, status } = await post(service, '/identities/company/token', { idToken, nonce })
      expect([status, body.code]).toEqual([401, 'invalid_identity'])
      // The same token without the fault is accepted: the nonce was not used.
      const right = await provider.sign(claims())
      await post(service, '/identities/company/token', { idToken: right, nonce }).expect(200)
    })
  }

  it('of a login in a browser: another nonce, audience or issuer', async () => {
    const service = await start()
    for (const changes of [
      { nonce: 'x'.repeat(43) },
      { nonce: undefined },
      { aud: 'other' },
      { iss: other.url },
      { exp: seconds() - 120 },
    ]) {
      provider.changes = changes
      const browser = openBrowser(service)
      const back = provider.authorize(await browser.begin('company'))
      expect(await browser.visit(back)).toBe(failed('invalid_identity'))
    }
    expect(service.events.filter(({ event }) => event === 'auth.identity_rejected')).toHaveLength(5)
  })

  it('1,000 random changes of a token', async () => {
    const service = await start()
    nonce = await nonceOf(service)
    const token = await provider.sign(claims())
    let accepted = 0
    for (let round = 0; round < 1000; round += 1) {
      const idToken = mutate(token)
      const result = await service.auth.identities
        .logInWithToken('company', { idToken, nonce })
        .catch((error: unknown) => Object(error).code)
      if (!['invalid_identity', 'validation_failed'].includes(result)) accepted += 1
    }
    expect(accepted).toBe(0)
    await service.auth.identities.logInWithToken('company', { idToken: token, nonce })
  })
})

// Changes, removes or adds one character. The last one of a part has bits that carry nothing, so it is left.
function mutate(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'
  for (;;) {
    const at = randomInt(token.length - 1)
    const character = alphabet.charAt(randomInt(alphabet.length))
    const [before, after] = [token.slice(0, at), token.slice(at + 1)]
    const changed = [
      before + character + after,
      before + after,
      `${before}${character}${token.slice(at)}`,
    ]
    const mutated = changed[randomInt(3)] ?? token
    if (decode(mutated) !== decode(token)) return mutated
  }
}

function decode(token: string): string {
  return token
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString('hex'))
    .join('.')
}

describe('IDP-06 a provider that misbehaves', () => {
  const cases: Record<string, [string, Parameters<typeof provider.handlers.set>[1]]> = {
    'does not respond': ['/token', () => {}],
    'responds with 100 MB': [
      '/token',
      (_req, res) => {
        res.writeHead(200, { 'content-type': 'application/json' })
        const part = Buffer.alloc(1_048_576, 32)
        let count = 0
        const write = (): void => {
          if (res.destroyed || count++ === 100) return void res.end()
          res.write(part, write)
        }
        write()
      },
    ],
    'stops in the middle': [
      '/token',
      (_req, res) => void res.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    ],
    'breaks the connection': ['/keys', (_req, res) => void res.destroy()],
    fails: ['/token', (_req, res) => void res.writeHead(500).end()],
    'redirects elsewhere': [
      '/token',
      (_req, res) => void res.writeHead(307, { location: `${other.url}/token` }).end(),
    ],
  }
  for (const [name, [path, handler]] of Object.entries(cases)) {
    it(`${name}: the login fails`, async () => {
      const service = await start()
      provider.handlers.set(path, handler)
      const browser = openBrowser(service)
      const back = provider.authorize(await browser.begin('company'))
      expect(await browser.visit(back)).toMatch(
        /\?error=(?:provider_unavailable|invalid_identity)$/,
      )
      expect(other.requests).toEqual([])
    })
  }

  it('names endpoints that are not encrypted, or another issuer', async () => {
    for (const document of [
      { token_endpoint: 'http://169.254.169.254/latest/meta-data' },
      { jwks_uri: 'http://10.0.0.1/keys' },
      { issuer: 'https://login.example.com' },
    ]) {
      const sent: string[] = []
      const service = await start({
        fetch: (url, init) => {
          sent.push(new URL(url).hostname)
          return fetch(url, init)
        },
      })
      provider.document = document
      const browser = openBrowser(service)
      const url = await browser.begin('company')
      const page = url.includes('error=') ? url : await browser.visit(provider.authorize(url))
      expect(page).toMatch(/\?error=provider_unavailable$/)
      expect(new Set(sent)).toEqual(new Set(['127.0.0.1']))
    }
  })

  it('IDP-03 sends text that is not repeated', async () => {
    const service = await start()
    const browser = openBrowser(service)
    const asked = new URL(await browser.begin('company')).searchParams
    const query = new URLSearchParams({
      error: '<script>alert(1)</script>',
      error_description: 'reflected',
      state: asked.get('state') ?? '',
      iss: provider.url,
    }).toString()
    const call = request(service.app).get(`/api/v1/auth/identities/company/callback?${query}`)
    const response = await call.set('Cookie', browser.cookie ?? '').expect(303)
    expect(response.text).toBe('')
    expect(response.headers['location']).toBe(failed('invalid_identity'))
  })
})

describe('the callback', () => {
  it('without a state, or with one that was never issued, returns to the page', async () => {
    const service = await start()
    const browser = openBrowser(service)
    await browser.begin('company')
    for (const query of ['', '?code=1', `?code=1&state=${'s'.repeat(43)}`, '?state=a&state=b']) {
      const url = `/api/v1/auth/identities/company/callback${query}`
      const response = await request(service.app)
        .get(url)
        .set('Cookie', browser.cookie ?? '')
      expect([303, 400]).toContain(response.status)
      expect(response.headers['location'] ?? failed('invalid_token')).toBe(failed('invalid_token'))
    }
  })

  it('does not log in without a login that was begun here', async () => {
    const service = await start()
    expect((await logIn(service, provider, { name: 'company' })).status).toBe(200)
    const { body } = await openBrowser(service).complete('http://none')
    expect(body.code).toBe('invalid_token')
  })
})
