// What a login costs in each way: npm run source benchmarks/sign-in/run.ts [logins] > benchmarks/results/sign-in.md
// Client, service and database are one process: its CPU time is that of all three.
import { createApi, createRegistry } from '@create-api/core'
import { createSignIn } from '@create-api/sign-in'
import {
  type CreationOptionsJSON,
  passkeys,
  type RequestOptionsJSON,
} from '@create-api/sign-in/passkeys'
import { openId, providers } from '@create-api/sign-in/providers'
import { createTotpCode } from '@create-api/sign-in/testing'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import {
  createCredential,
  origin,
  signChallenge,
} from '../../packages/sign-in/test/authenticator.ts'

const logins = Number(process.argv[2] ?? 100)
const password = 'a long enough password'
const load = loadavg()[0]?.toFixed(1)
let time = Date.now()
let sent = { link: '' }

const keys = await generateKeyPair('RS256')
const key = { ...(await exportJWK(keys.publicKey)), alg: 'RS256', use: 'sig' }
const idp = createServer((req, res) => {
  const isKeys = req.url === '/keys'
  res.setHeader('content-type', 'application/json')
  res.end(JSON.stringify(isKeys ? { keys: [key] } : { issuer, jwks_uri: `${issuer}/keys` }))
}).listen(0, '127.0.0.1')
await once(idp, 'listening')
const address = idp.address()
const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`

const common = {
  secrets: [randomBytes(32).toString('base64')],
  limits: false,
  now: () => time,
  mail: {
    appUrl: origin,
    mailer: {
      async send({ kind, link = '' }: { kind: string; link?: string | undefined }) {
        if (kind === 'login-link') sent = { link }
      },
    },
  },
} as const
const signIn = createSignIn({
  trustedDevices: '30d',
  links: true,
  notices: false,
  passkeys: passkeys({ id: new URL(origin).hostname, origins: [origin] }),
  providers: providers({
    company: openId({ issuer, clientId: 'blog', clientSecret: 'secret', trustEmail: true }),
  }),
})
const api = createApi({
  name: 'sign-in',
  environment: 'test',
  routes: createRegistry(),
  database: { uri: 'embedded:memory' },
  auth: { ...common, signIn },
  rateLimit: false,
  log: { level: 'silent' },
})
const { url } = await api.start({ port: 0, signals: false, databaseName: 'sign_in' })

// The members of responses that are used.
interface Answer {
  readonly accessToken: string
  readonly deviceToken: string
  readonly id: string
  readonly nonce: string
  readonly publicKey: CreationOptionsJSON & RequestOptionsJSON
  readonly requestToken: string
  readonly secret: string
  readonly token: string
  readonly user: { readonly id: string }
}

async function post(path: string, body: object, token?: string): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(`${url}/api/v1/auth${path}`, init)
  const value = Object(response.status === 204 ? {} : await response.json())
  return value.data ?? value
}

async function register(email: string): Promise<{ email: string; accessToken: string }> {
  const { accessToken, user } = await post('/register', { email, password })
  await api.auth?.users.update(user.id, { emailVerified: true })
  return { email, accessToken }
}

const plain = await register('plain@example.org')
const careful = await register('careful@example.org')
const { id, secret } = await post('/factors/totp', {}, careful.accessToken)
await post(`/factors/${id}/confirm`, { code: createTotpCode(secret, time) }, careful.accessToken)

async function begin(): Promise<string> {
  const { token } = await post('/login', { email: careful.email, password })
  return token
}

function nextCode(): string {
  time += 30_000
  return createTotpCode(secret, time)
}

const trusted = { token: await begin(), code: nextCode(), trustDevice: true }
const { deviceToken } = await post('/second-factor', trusted)
const begun = await post('/passkeys/options', {}, plain.accessToken)
const { credential, response } = createCredential(begun.publicKey)
const { requestToken } = begun
await post('/passkeys', { requestToken, credential: response }, plain.accessToken)

const ways: Readonly<Record<string, () => Promise<Answer>>> = {
  password: () => post('/login', { email: plain.email, password }),
  'password and code': async () =>
    post('/second-factor', { token: await begin(), code: nextCode() }),
  'password on a trusted device': async () =>
    post('/second-factor', { token: await begin(), deviceToken }),
  'link by mail': async () => {
    // Mails of one user are limited by time.
    time += 3_600_000
    sent = { link: '' }
    const asked = await post('/login-link', { email: plain.email })
    while (sent.link === '') await wait(0)
    const token = new URL(sent.link).searchParams.get('token')
    return post('/login-link/complete', { requestToken: asked.requestToken, token })
  },
  passkey: async () => {
    const options = await post('/passkeys/login/options', {})
    const signed = signChallenge(credential, options.publicKey)
    return post('/passkeys/login', { requestToken: options.requestToken, credential: signed })
  },
  'ID token of a provider': async () => {
    const { nonce } = await post('/identities/nonce', {})
    const seconds = Math.floor(time / 1000)
    const idToken = await new SignJWT({ email: plain.email, email_verified: true, nonce })
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer(issuer)
      .setSubject('plain')
      .setAudience('blog')
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + 300)
      .sign(keys.privateKey)
    return post('/identities/company/token', { idToken, nonce })
  },
}

console.log(`# Logins

\`npm run source benchmarks/sign-in/run.ts ${logins}\`

${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${availableParallelism()} × ${cpus()[0]?.model}, load ${load} before the run, ${logins} logins of each way, one
at a time, embedded database in memory. CPU time is that of client, service and database together.

| Login | Median | 99th percentile | CPU time |
| --- | --: | --: | --: |`)
for (const [name, logIn] of Object.entries(ways)) {
  const durations: number[] = []
  let start = process.cpuUsage()
  for (let count = -10; count < logins; count += 1) {
    if (count === 0) start = process.cpuUsage()
    const began = performance.now()
    const grant = await logIn()
    if (count >= 0) durations.push(performance.now() - began)
    if (grant.accessToken === undefined) throw new Error(`${name}: ${JSON.stringify(grant)}`)
  }
  const { system, user } = process.cpuUsage(start)
  const sorted = durations.toSorted((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)
  const cpu = ((user + system) / 1000 / logins).toFixed(1)
  console.log(`| ${name} | ${at(0.5)} ms | ${at(0.99)} ms | ${cpu} ms |`)
}
idp.close()
await api.stop()
