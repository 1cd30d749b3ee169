import { createHash, randomBytes } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo } from 'node:net'
import { createApi, createRegistry } from '@create-api/core'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { createSignIn } from '@create-api/sign-in'
import { openId, providers } from '@create-api/sign-in/providers'
import mongoose from 'mongoose'
// @ts-expect-error -- the package has no types
import { Provider } from 'oidc-provider'
import { afterAll, expect, it } from 'vitest'

const ends: (() => unknown)[] = []
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => server.close())
  ends.push(() => server.closeAllConnections())
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

async function startService(issuer: string): Promise<string> {
  const mongo = await startEmbeddedMongo({ storage: { memory: true } })
  const connection = await mongoose.createConnection(mongo.uri).asPromise()
  ends.push(
    () => mongo.stop(),
    () => connection.close(),
  )
  const company = openId({ issuer, clientId: 'blog', clientSecret: 'secret' })
  const returnUrls = ['https://app.example.com/in']
  const { app, auth } = createApi({
    routes: createRegistry(),
    database: false,
    rateLimit: false,
    auth: {
      secrets: [randomBytes(32).toString('base64')],
      connection,
      signIn: createSignIn({ providers: providers({ company }, { returnUrls }) }),
    },
  })
  await auth?.init()
  return listen(createServer(app))
}

// Follows redirects with cookies, and fills in the forms of the provider.
async function browse(first: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = new URL(first)
  let form: URLSearchParams | undefined
  for (let step = 0; step < 20 && url.hostname === 'localhost'; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const init = { headers: { cookie }, redirect: 'manual' as const }
    const response = await fetch(url, form ? { ...init, method: 'POST', body: form } : init)
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      cookies.set(name, value)
    }
    form = undefined
    const location = response.headers.get('location')
    if (location !== null) {
      url = new URL(location, url)
      continue
    }
    const html = await response.text()
    const [, action] = /<form[^>]* action="([^"]+)"/.exec(html) ?? []
    if (action === undefined) throw new Error(html)
    const [, prompt = ''] = /name="prompt" value="([^"]+)"/.exec(html) ?? []
    form = new URLSearchParams({ prompt, login: 'ada', password: 'any' })
    url = new URL(action, url)
  }
  return url
}

it('a login with oidc-provider registers a user, and logs the same one in afterwards', async () => {
  let handle: RequestListener = () => {}
  const server = createServer((req, res) => handle(req, res))
  const issuer = await listen(server)
  const api = await startService(issuer)
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'blog',
        client_secret: 'secret',
        redirect_uris: [`${api}/api/v1/auth/identities/company/callback`],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    scopes: ['openid', 'email', 'profile'],
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@x.io`, email_verified: true }),
    }),
  })
  handle = provider.callback()
  const ids = []
  for (let login = 0; login < 2; login += 1) {
    const codeVerifier = randomBytes(32).toString('base64url')
    const challenge = createHash('sha256').update(codeVerifier).digest('base64url')
    const page = await browse(`${api}/api/v1/auth/identities/company?codeChallenge=${challenge}`)
    expect(page.href).toMatch(/^https:\/\/app\.example\.com\/in\?code=/)
    const response = await fetch(`${api}/api/v1/auth/identities/complete`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: page.searchParams.get('code'), codeVerifier }),
    })
    const { data } = Object(await response.json())
    expect(data.user).toMatchObject({ email: 'ada@x.io', emailVerified: true })
    ids.push(data.user.id)
  }
  expect(ids[1]).toBe(ids[0])
})
