import { createTotpCode } from '@create-api/sign-in/testing'
import { createServer, type RequestListener, type Server } from 'node:http'
import mongoose from 'mongoose'
// @ts-expect-error -- the package has no types
import { Provider } from 'oidc-provider'
import { type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort } from '../../../packages/core/test/free-port.ts'
import { type Blog, startBlog } from './blog.ts'
import { executablePath } from './browser.ts'
import { addAuthenticator } from './virtual-authenticator.ts'

const email = 'ada@example.org'
const password = 'correct horse battery staple'

// The tests are one visit of a user, in their order.
describe.skipIf(executablePath === undefined)('the account page of examples/blog', () => {
  let started: Blog
  let provider: Server
  let page: Page
  let secret = ''
  let recoveryCodes: string[] = []

  beforeAll(async () => {
    const port = await findFreePort()
    const issuer = `http://localhost:${port}`
    const client = { OPENID_CLIENT_ID: 'blog', OPENID_CLIENT_SECRET: 'secret' }
    started = await startBlog({ OPENID_ISSUER: issuer, ...client })
    provider = createServer(createProvider(issuer, started.url)).listen(port, 'localhost')
    page = await started.browser.context.newPage()
    await addAuthenticator(page)
    await page.goto(`${started.origin}/account.html`)
  })

  afterAll(async () => {
    await started.stop()
    provider.closeAllConnections()
    provider.close()
  })

  const button = (name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click()
  const sees = async (text: string): Promise<boolean> => {
    await page.getByText(text).first().waitFor()
    return true
  }
  const isIn = (): Promise<boolean> => sees(`You are ${email}.`)
  // Each code is accepted once: the next one is that of a later time.
  let steps = 0
  const nextCode = (): string => {
    steps += 1
    return createTotpCode(secret, Date.now() + (steps - 2) * 30_000)
  }

  async function submit(name: string, action = 'Log in'): Promise<void> {
    await page.locator('#login [name=email]').fill(email)
    await page.locator('#login [name=password]').fill(name)
    await button(action)
  }

  async function enter(code: string): Promise<void> {
    await page.locator('#code [name=code]').fill(code)
    await button('Continue')
  }

  it('registers a user', async () => {
    await submit(password, 'Register')
    expect(await isIn()).toBe(true)
  })

  it('sets an authenticator application up', async () => {
    await button('Set up an application')
    await page.locator('#confirm').waitFor()
    secret = (await page.locator('#secret').textContent()) ?? ''
    await page.locator('#confirm [name=code]').fill(nextCode())
    await button('Confirm the application')
    await page.locator('#recovery li').first().waitFor()
    recoveryCodes = await page.locator('#recovery li').allTextContents()
    expect(recoveryCodes).toHaveLength(10)
  })

  it('adds a passkey', async () => {
    await button('Add a passkey')
    expect(await sees('Remove Passkey')).toBe(true)
  })

  it('asks for a code after the password', async () => {
    await button('Log out everywhere')
    await submit('a wrong password')
    expect(await sees('invalid_credentials')).toBe(true)
    await submit(password)
    await enter('000000')
    expect(await sees('invalid_code')).toBe(true)
    await enter(nextCode())
    expect(await isIn()).toBe(true)
  })

  it('accepts a recovery code', async () => {
    await button('Log out everywhere')
    await submit(password)
    await enter(recoveryCodes[0] ?? '')
    expect(await isIn()).toBe(true)
  })

  it('logs in with the passkey, without password and code', async () => {
    await button('Log out everywhere')
    await button('Log in with a passkey')
    expect(await isIn()).toBe(true)
  })

  it('asks for a proof of identity when the last one is old, and then removes the passkey', async () => {
    const sessions = mongoose.connection.collection('sessions')
    await sessions.updateMany({}, { $set: { authenticatedAt: new Date(0) } })
    await button('Remove Passkey')
    await page.locator('#proof [name=code]').fill(nextCode())
    await button('Confirm')
    await page.getByText('Remove Passkey').waitFor({ state: 'detached' })
    expect(await isIn()).toBe(true)
  })

  it('logs in with an OpenID provider, which creates another user', async () => {
    await button('Log out everywhere')
    await button('Log in with your company')
    await page.locator('[name=login]').fill('grace')
    await page.locator('[name=password]').fill('any')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    expect(await sees('You are grace@example.org.')).toBe(true)
    expect(page.url()).toMatch(/\/account\.html$/)
  })

  it('logs out everywhere', async () => {
    await button('Log out everywhere')
    await page.locator('#login').waitFor()
    const live = { revokedAt: null }
    expect(await mongoose.connection.collection('sessions').countDocuments(live)).toBe(0)
    await page.reload()
    await page.locator('#login').waitFor()
  })
})

function createProvider(issuer: string, api: string): RequestListener {
  const callback = `${api}/api/v1/auth/identities/openid/callback`
  return new Provider(issuer, {
    clients: [{ client_id: 'blog', client_secret: 'secret', redirect_uris: [callback] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    scopes: ['openid', 'email', 'profile'],
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.org`, email_verified: true }),
    }),
  }).callback()
}
