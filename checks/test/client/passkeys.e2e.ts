import { type BegunPasskey, type loginWithPasskey } from '@create-api/client/passkeys'
import { createApi, createRegistry } from '@create-api/core'
import { type AuthOptions, type SecurityEvent } from '@create-api/core/auth'
import { createSignIn } from '@create-api/sign-in'
import { passkeys } from '@create-api/sign-in/passkeys'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type CDPSession, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writeClient } from '../../../packages/cli/src/lib/client/write-client.ts'
import { findFreePort } from '../../../packages/core/test/free-port.ts'
import { findTypeErrors } from '../openapi/type-errors.ts'
import { type Browser, bundle, executablePath, startBrowser } from './browser.ts'
import { addAuthenticator } from './virtual-authenticator.ts'

const password = 'correct horse battery staple'
const root = path.resolve(import.meta.dirname, '../../..')
const html = `<!doctype html><input autocomplete="username webauthn">
<script type="module" src="/page.js"></script>`

// The code of the page in the documentation, with the client that is generated for the service.
const docs = readFileSync(path.join(root, 'docs/sign-in.md'), 'utf8')
const [, example = ''] =
  /```ts\n(import \{[^}]*\} from '@create-api\/client\/passkeys'\n[\s\S]*?)```/.exec(docs) ?? []
const toProgram = (url: string): string => `
import { createClient } from './client.ts'
const client = createClient({ url: ${JSON.stringify(url)} })
${example}
export const page = {
  client, addPasskey, logIn, offerPasskeys, proveIdentity, canAutofillPasskeys, loginWithPasskey,
}
Object.assign(globalThis, { page })
`

interface PageProgram {
  readonly client: {
    readonly auth: {
      register(body: object): Promise<unknown>
      me(): Promise<{ email: string }>
      listPasskeys(): Promise<{ id: string; name: string; transports: string[] }[]>
      removePasskey(id: string): Promise<void>
      beginPasskeyRegistration(): Promise<unknown>
      beginPasskeyLogin(): Promise<BegunPasskey>
      completePasskeyLogin(body: object): Promise<unknown>
    }
    readonly session: { logout(): Promise<void>; isLoggedIn(): Promise<boolean> }
  }
  addPasskey(name: string): Promise<{ id: string; name: string }>
  logIn(): Promise<unknown>
  offerPasskeys(): Promise<void>
  proveIdentity(): Promise<void>
  canAutofillPasskeys(): Promise<boolean>
  loginWithPasskey: typeof loginWithPasskey
}

// In the page.
declare const page: PageProgram
declare const asked: (string | undefined)[]

// Notes what the page asks the browser for.
const watch = `globalThis.asked = []
const { get } = CredentialsContainer.prototype
CredentialsContainer.prototype.get = function (options) {
  asked.push(options.mediation)
  return get.call(this, options)
}`

describe.skipIf(executablePath === undefined)('passkeys in Chromium', () => {
  let folder: string
  let browser: Browser
  let server: Server
  let stop: (() => Promise<void>)[] = []
  let tab: Page
  let cdp: CDPSession
  let authenticatorId: string
  let origin: string
  let time = Date.now()
  let user = 0
  const events: SecurityEvent[] = []

  beforeAll(async () => {
    const port = await findFreePort()
    origin = `http://localhost:${port}`
    process.env['MONGODB_URI'] = 'embedded:memory'
    const auth: AuthOptions = {
      limits: false,
      now: () => time,
      onEvent: (event) => void events.push(event),
      signIn: createSignIn({ passkeys: passkeys({ id: 'localhost', origins: [origin] }) }),
    }
    const api = createApi({
      name: 'blog',
      routes: createRegistry(),
      cors: { origins: [origin] },
      auth,
    })
    const { url } = await api.start({ port: 0, signals: false })
    folder = mkdtempSync(path.join(tmpdir(), 'create-api-passkeys-'))
    symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(path.join(folder, 'client.ts'), writeClient(api.openapi, 'api client').text)
    writeFileSync(path.join(folder, 'page.ts'), toProgram(url))
    const script = await bundle(path.join(folder, 'page.ts'))
    server = createServer((req, res) => {
      const isScript = req.url === '/page.js'
      res.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
      res.end(isScript ? script : html)
    }).listen(port, 'localhost')
    await once(server, 'listening')
    browser = await startBrowser()
    await browser.context.addInitScript(watch)
    stop = [() => browser.stop(), () => api.stop()]
  })

  afterAll(async () => {
    for (const end of stop) await end()
    server?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  beforeEach(async () => {
    user += 1
    tab = await browser.context.newPage()
    await tab.goto(origin)
    ;({ authenticatorId, cdp } = await addAuthenticator(tab))
    const input = { email: `ada-${user}@example.org`, password }
    await tab.evaluate((body) => page.client.auth.register(body), input)
    return () => tab.close()
  })

  const failureOf = (run: () => Promise<unknown>): Promise<string> =>
    tab.evaluate(
      (call) =>
        // oxlint-disable-next-line no-eval -- the functions of the page are called by their text
        (globalThis.eval(`(${call})`) as () => Promise<unknown>)().then(
          () => 'none',
          (error: { code?: unknown; name: string }) =>
            typeof error.code === 'string' ? error.code : error.name,
        ),
      String(run),
    )

  it('have code with correct types, in the documentation and in the client', () => {
    expect(example).toContain('registerPasskey')
    const options = { customConditions: ['@create-api/source'], exactOptionalPropertyTypes: true }
    expect(findTypeErrors(path.join(folder, 'page.ts'), options)).toEqual([])
  })

  it('are registered, log in without an address, and no longer once they are removed', async () => {
    const added = await tab.evaluate(() => page.addPasskey('Laptop'))
    expect(added).toMatchObject({ name: 'Laptop' })
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }])
    const listed = await tab.evaluate(() => page.client.auth.listPasskeys())
    expect(listed).toMatchObject([{ id: added.id, transports: ['internal'] }])

    await tab.evaluate(() => page.client.session.logout())
    await tab.evaluate(() => page.logIn())
    const { email } = await tab.evaluate(() => page.client.auth.me())
    expect(email).toBe(`ada-${user}@example.org`)

    await tab.evaluate((id) => page.client.auth.removePasskey(id), added.id)
    await tab.evaluate(() => page.client.session.logout())
    expect(await failureOf(() => page.logIn())).toBe('invalid_passkey')
    expect(await tab.evaluate(() => page.client.session.isLoggedIn())).toBe(false)
  })

  it('are registered once for each authenticator', async () => {
    await tab.evaluate(() => page.addPasskey('Laptop'))
    expect(await failureOf(() => page.addPasskey('Again'))).toBe('InvalidStateError')
  })

  it('are a recent proof', async () => {
    await tab.evaluate(() => page.addPasskey('Laptop'))
    time += 11 * 60_000
    const begin = (): Promise<unknown> => page.client.auth.beginPasskeyRegistration()
    expect(await failureOf(begin)).toBe('reauthentication_required')
    await tab.evaluate(() => page.proveIdentity())
    expect(await failureOf(begin)).toBe('none')
  })

  it('need the verification of the user', async () => {
    await tab.evaluate(() => page.addPasskey('Laptop'))
    await tab.evaluate(() => page.client.session.logout())
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    expect(await failureOf(() => page.logIn())).toBe('NotAllowedError')
  })

  it('are reported when their counter goes back', async () => {
    await tab.evaluate(() => page.addPasskey('Laptop'))
    await tab.evaluate(() => page.logIn())
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    const [credential] = credentials
    if (!credential) throw new Error('no credential')
    // A copy of the authenticator from before the login.
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId })
    await cdp.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...credential, signCount: 0 },
    })
    expect(await failureOf(() => page.logIn())).toBe('invalid_passkey')
    expect(events.at(-1)).toMatchObject({ event: 'auth.passkey_failed', reason: 'counter' })
  })

  it('are chosen in the autofill', async () => {
    await tab.evaluate(() => page.addPasskey('Laptop'))
    await tab.evaluate(() => page.client.session.logout())
    expect(await tab.evaluate(() => page.canAutofillPasskeys())).toBe(true)
    await tab.evaluate(() => page.offerPasskeys())
    expect(await tab.evaluate(() => page.client.session.isLoggedIn())).toBe(true)
  })

  it('are no longer offered in the autofill once a button asks for one', async () => {
    await tab.evaluate(() => page.addPasskey('Laptop'))
    await tab.evaluate(() => page.client.session.logout())
    await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false })
    const offered = failureOf(() => page.offerPasskeys())
    await expect.poll(() => tab.evaluate(() => asked)).toEqual(['conditional'])
    await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: true })
    await tab.evaluate(() => page.logIn())
    expect(await offered).toBe('AbortError')
    expect(await tab.evaluate(() => page.client.session.isLoggedIn())).toBe(true)
  })

  it('are offered with another challenge when one expires, until the signal', async () => {
    await tab.evaluate(() => page.addPasskey('Laptop'))
    await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false })
    const reason = await tab.evaluate(async () => {
      const beginPasskeyLogin = async (): Promise<BegunPasskey> => ({
        ...(await page.client.auth.beginPasskeyLogin()),
        expiresIn: 0.2,
      })
      const auth = { ...page.client.auth, beginPasskeyLogin }
      const controller = new AbortController()
      const { signal } = controller
      const login = page.loginWithPasskey(auth, { conditional: true, signal })
      setInterval(() => asked.length > 2 && controller.abort('left the page'), 50)
      return login.catch(String)
    })
    expect(reason).toBe('left the page')
  })
})
