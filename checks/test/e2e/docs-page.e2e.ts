import {
  type ApiRequest,
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  events,
  multipart,
  sendEvents,
  success,
} from '@create-api/core'
import { createTestClient, type TestClient } from '@create-api/core/testing'
import { createSignIn } from '@create-api/sign-in'
import { type Response } from 'express'
import { once } from 'node:events'
import { TOTP } from 'otpauth'
import { type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Browser, executablePath, startBrowser } from '../client/browser.ts'

const note = z.strictObject({ text: z.string().min(1).max(20), pinned: z.boolean().optional() })
const listQuery = z.strictObject({ kind: z.enum(['short', 'long']).optional() })
const changes = defineRoute({
  method: 'get',
  path: '/',
  operationId: 'followChanges',
  access: 'public',
  response: events(note),
  handler: (_req, res) =>
    sendEvents(res, async function* ({ signal }) {
      yield { data: { text: 'changed' } }
      await once(signal, 'abort')
    }),
})

const routes = createRegistry()
  .use('/api/changes', createRouter([changes]))
  .use(
    '/api/notes',
    createRouter([
      defineRoute({
        method: 'get',
        path: '/',
        access: 'public',
        query: listQuery,
        response: z.object({ kind: z.string() }),
        handler: (req: ApiRequest<{ query: z.output<typeof listQuery> }>, res: Response) =>
          success(res, { kind: req.valid.query.kind ?? 'any' }),
      }),
      defineRoute({
        method: 'post',
        path: '/:name',
        access: 'user',
        params: z.strictObject({ name: z.string() }),
        body: note,
        response: note.extend({ name: z.string() }),
        status: 201,
        handler: (req, res) =>
          success(res.status(201), { ...req.valid.body, name: req.valid.params.name }),
      }),
      defineRoute({
        method: 'post',
        path: '/pictures/upload',
        operationId: 'uploadPicture',
        access: 'public',
        body: multipart({
          fields: z.strictObject({ title: z.string() }),
          files: { picture: { types: ['text/plain'] } },
        }),
        response: z.object({ title: z.string(), filename: z.string(), size: z.int() }),
        handler: (req, res) => {
          const { picture, title } = req.valid.body
          success(res, { title, filename: picture.filename, size: picture.size })
        },
      }),
    ]),
  )

/** Errors of the page, and the hosts of its requests. */
interface Visit {
  readonly faults: string[]
  readonly origins: Set<string>
}

describe.skipIf(executablePath === undefined)('/docs in Chromium', () => {
  let client: TestClient
  let browser: Browser
  let page: Page
  let visit: Visit

  beforeAll(async () => {
    const signIn = createSignIn({ required: ({ email }) => email.startsWith('grace') })
    client = await createTestClient(createApi({ name: 'Notes', routes, auth: { signIn } }))
    browser = await startBrowser()
    await browser.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  })

  beforeEach(async () => {
    page = await browser.context.newPage()
    visit = watch(page)
    await page.goto(`${client.url}/docs`)
    await page.locator('#operations:not([aria-busy])').waitFor()
    return () => page.close()
  })

  afterAll(async () => {
    await browser.stop()
    await client.stop()
  })

  async function open(method: string, path: string): Promise<Locator> {
    const operation = page.locator('.operation').filter({
      has: page.locator(`summary:has(.method:text-is("${method}")):has(code:text-is("${path}"))`),
    })
    await operation.locator('summary').first().click()
    return operation
  }

  async function send(operation: Locator): Promise<{ status: string; body: string }> {
    await operation.getByRole('button', { name: 'Send' }).click()
    const status = await operation.locator('.status').textContent()
    const body = await operation.locator('pre.body').textContent()
    return { status: status ?? '', body: body ?? '' }
  }

  it('shows every operation of the document, and sends requests only to the service', async () => {
    const { body: document } = await client.request.get('/openapi.json').expect(200)
    const operations = Object.values(document.paths).flatMap((item) => Object.keys(Object(item)))
    expect(await page.locator('.operation').count()).toBe(operations.length)
    expect(await page.title()).toBe('Notes')
    expect(visit).toEqual({ faults: [], origins: new Set([client.url]) })
  })

  it('tries a request with the token, shows its body, and the problem of a bad one', async () => {
    const { accessToken } = await client.signUp()
    const create = await open('POST', '/api/notes/{name}')
    await create.locator('input[name="path name"]').fill('a/b')
    await create.locator('textarea').fill('{ "text": "hello" }')
    expect((await send(create)).status).toMatch(/^401 Unauthorized/)
    await page.getByLabel('Access token').fill(`Bearer ${accessToken}`)
    await page.getByRole('button', { name: 'Authorise' }).click()
    await page.getByText('The token is sent.').waitFor()
    await create.locator('.status', { hasText: '401' }).waitFor()
    await create.getByRole('button', { name: 'Send' }).click()
    await create.locator('.status', { hasText: '201' }).waitFor()
    const made = JSON.parse((await create.locator('pre.body').textContent()) ?? '')
    expect(made).toEqual({ data: { name: 'a/b', text: 'hello' } })
    await create.locator('textarea').fill('{ "text": "" }')
    await create.locator('textarea').press('Control+Enter')
    await create.locator('.status', { hasText: '422' }).waitFor()
    const problem = JSON.parse((await create.locator('pre.body').textContent()) ?? '')
    expect(problem).toMatchObject({
      status: 422,
      code: 'validation_failed',
      errors: [{ pointer: '#/text' }],
    })
    expect(visit.origins).toEqual(new Set([client.url]))
    // A browser logs failed responses by itself; nothing else may fail.
    expect(visit.faults.filter((fault) => !/status of (401|422)/.test(fault))).toEqual([])
  })

  it('uploads a file, and shows the same request as curl', async () => {
    const upload = await open('POST', '/api/notes/pictures/upload')
    await upload.locator('input[type=text]').fill('Me')
    const file = { name: 'me.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') }
    await upload.locator('input[type=file]').setInputFiles(file)
    const { body, status } = await send(upload)
    expect(status).toMatch(/^200/)
    expect(JSON.parse(body)).toEqual({ data: { title: 'Me', filename: 'me.txt', size: 5 } })
    await upload.getByRole('button', { name: 'Copy as curl' }).click()
    await upload.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
      "--form-string 'title=Me' \\\n  -F 'picture=@me.txt;type=text/plain'",
    )
  })

  it('shows the events of the first seconds', async () => {
    const { body, status } = await send(await open('GET', '/api/changes'))
    expect([status.slice(0, 3), body]).toEqual(['200', 'data: {"text":"changed"}\n\n'])
  })

  it('uses the access token from the response to a sign-up', async () => {
    const register = await open('POST', '/api/v1/auth/register')
    const account = { email: 'ada@example.org', password: 'a long enough password' }
    await register.locator('textarea').fill(JSON.stringify(account))
    expect((await send(register)).status).toMatch(/^201/)
    await register.getByRole('button', { name: 'Use this access token' }).click()
    const me = await open('GET', '/api/v1/auth/me')
    const { body, status } = await send(me)
    expect(status).toMatch(/^200/)
    expect(body).toContain('ada@example.org')
  })

  it('logs in with a second factor, which it sets up first', async () => {
    const account = { email: 'grace@example.org', password: 'a long enough password' }
    await client.request.post('/api/v1/auth/register').send(account).expect(201)
    const login = await open('POST', '/api/v1/auth/login')
    await login.locator('textarea').fill(JSON.stringify(account))
    expect((await send(login)).status).toMatch(/^401/)
    await login.getByRole('button', { name: 'Set up a factor' }).click()
    const setup = page.locator('#enrolAtLogin')
    const { secret } = JSON.parse((await send(setup)).body).data
    await login.getByRole('button', { name: 'Enter a code' }).click()
    const second = page.locator('#completeLogin')
    const body = second.locator('textarea')
    const code = new TOTP({ secret }).generate()
    await body.fill(JSON.stringify({ ...JSON.parse(await body.inputValue()), code }))
    expect((await send(second)).status).toMatch(/^200/)
    await second.getByRole('button', { name: 'Use this access token' }).click()
    expect((await send(await open('GET', '/api/v1/auth/me'))).body).toContain('grace@example.org')
  })

  it('is used by the keyboard: search, follow a link, choose, send', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type('get notes')
    const links = page.locator('nav a:visible')
    expect(await links.count()).toBe(1)
    await links.focus()
    await page.keyboard.press('Enter')
    const list = page.locator('.operation[open]')
    await list.locator('select').selectOption('long')
    expect(await send(list)).toMatchObject({ body: expect.stringContaining('"long"') })
    await list.getByRole('button', { name: 'Copy as curl' }).click()
    await list.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate('navigator.clipboard.readText()')
    expect(copied).toBe(`curl -X GET '${client.url}/api/notes?kind=long'`)
  })

  it('fits a telephone, in light and dark', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await open('POST', '/api/notes/{name}')
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate(overflow)).toBe(0)
    const readBackground = (): Promise<unknown> =>
      page.evaluate('getComputedStyle(document.body).backgroundColor')
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await readBackground()
    await page.getByRole('button', { name: 'Switch between light and dark' }).click()
    expect(await readBackground()).not.toBe(dark)
  })
})

function watch(page: Page): Visit {
  const visit: Visit = { faults: [], origins: new Set() }
  page.on('request', (request) => visit.origins.add(new URL(request.url()).origin))
  page.on('pageerror', (error) => visit.faults.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      visit.faults.push(message.text())
    }
  })
  return visit
}
