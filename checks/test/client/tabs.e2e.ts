import { setTimeout as sleep } from 'node:timers/promises'
import { type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Browser, bundle, executablePath, startBrowser } from './browser.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { type NotesService, startNotesService } from './notes-service.ts'
import type { tab as program } from './tab.ts'

// In the pages.
declare const tab: typeof program

// Of each tab; `CLIENT_REQUESTS=1000` for a long run.
const requests = Number(process.env['CLIENT_REQUESTS'] ?? 100)
const lifetime = 2000
// The client uses a token of two seconds for one, since its expiry is a whole second, and some time passes between the
// issue of a token and its event.
const leastGap = 0.2 * lifetime

// On a slow machine, requests that begin together outlast the first new token.
async function expectRefreshes(service: NotesService, took: number): Promise<void> {
  await expect.poll(() => service.count('auth.refreshed')).toBeGreaterThan(0)
  expect(service.count('auth.refreshed')).toBeLessThanOrEqual(Math.ceil((2 * took) / lifetime))
}

const withoutLocks = 'delete Navigator.prototype.locks'
const movableClock =
  'globalThis.clockOffset = 0; const now = Date.now; Date.now = () => now() + clockOffset'
const html = '<!doctype html><script type="module" src="/tab.js"></script>'

describe.skipIf(executablePath === undefined).each([
  { title: 'with Web Locks', script: '', storage: 'local' as const },
  { title: 'without Web Locks', script: withoutLocks, storage: 'local' as const },
  { title: 'with the refresh token in a cookie', script: '', storage: 'cookie' as const },
])('a session in two tabs, $title,', ({ script, storage }) => {
  let service: NotesService
  let proxy: FaultProxy
  let browser: Browser
  let first: Page
  let second: Page
  let user = 0

  beforeAll(async () => {
    service = await startNotesService(storage === 'cookie' ? { COOKIES: '1' } : {})
    proxy = await startFaultProxy(service.url, {
      '/': { type: 'text/html', content: html },
      '/tab.js': {
        type: 'text/javascript',
        content: await bundle(`${import.meta.dirname}/tab.ts`),
      },
    })
    browser = await startBrowser()
    await browser.context.addInitScript(`${movableClock}; ${script}`)
  })

  afterAll(async () => {
    await browser?.stop()
    await proxy?.stop()
    await service?.stop()
  })

  beforeEach(async () => {
    user += 1
    first = await open()
    second = await open()
    await first.evaluate((email) => tab.register(email), `user-${user}@example.org`)
    service.forget()
  })

  afterEach(async () => {
    proxy.lose(0)
    await Promise.all(browser.context.pages().map((page) => page.close()))
  })

  async function open(): Promise<Page> {
    const page = await browser.context.newPage()
    await page.goto(proxy.url)
    await page.evaluate((kind) => tab.open({ storage: kind }), storage)
    return page
  }

  function run(page: Page, name: string, count = requests): Promise<Record<string, number>> {
    return page.evaluate((args) => tab.run(...args), [`${user} ${name}`, count, 8] as const)
  }

  async function readLogouts(): Promise<string[]> {
    const pages = [first, second].filter((page) => !page.isClosed())
    return (await Promise.all(pages.map((page) => page.evaluate(() => tab.readLogouts())))).flat()
  }

  it('refreshes exactly once at each expiry', async () => {
    const sentBefore = proxy.count('/api/v1/auth/refresh-token')
    const start = performance.now()
    const failed = await Promise.all([run(first, 'a'), run(second, 'b')])
    const took = performance.now() - start
    expect(failed).toEqual([{}, {}])
    expect(await readLogouts()).toEqual([])
    expect(service.count('auth.refresh_reused_in_leeway')).toBe(0)
    const refreshes = service.count('auth.refreshed')
    expect(proxy.count('/api/v1/auth/refresh-token') - sentBefore).toBe(refreshes)
    expect(Math.min(...service.gaps)).toBeGreaterThan(leastGap)
    // The next request after an expiry refreshes, and a busy machine sends it late.
    expect(refreshes).toBeGreaterThanOrEqual(Math.floor(took / (2 * lifetime)))
  })

  it('refreshes once for requests that are sent at the same time after the expiry', async () => {
    await sleep(lifetime)
    const start = performance.now()
    const done = await Promise.all([first, second].map((page) => page.evaluate(() => tab.burst(5))))
    const took = performance.now() - start
    expect(done).toEqual([5, 5])
    await expectRefreshes(service, took)
    expect(service.count('auth.refresh_reused_in_leeway')).toBe(0)
  })

  it('survives a tab that is killed in the middle of a refresh', async () => {
    await sleep(lifetime)
    const start = performance.now()
    const held = proxy.hold('/api/v1/auth/refresh-token')
    const lost = first.evaluate(() => tab.burst(1)).catch(() => 'killed')
    const release = await held
    const waiting = second.evaluate(() => tab.burst(5))
    const session = await browser.context.newCDPSession(first)
    session.send('Page.crash').catch(() => {})
    await lost
    release()
    expect(await waiting).toBe(5)
    const took = performance.now() - start
    await first.close()
    expect(await readLogouts()).toEqual([])
    // Without Web Locks its lease has to end first; by then the access token that was lost has expired.
    await expectRefreshes(service, took)
    expect(service.count('auth.refresh_reused_in_leeway')).toBe(1)
    expect(await run(second, 'c', 200)).toEqual({})
  })

  it('survives sleep, and a clock that is wrong', async () => {
    const runs = Promise.all([run(first, 'd', 300), run(second, 'e', 300)])
    for (const page of [first, second]) await setState(page, 'frozen')
    await sleep(2 * lifetime)
    for (const page of [first, second]) await setState(page, 'active')
    for (const offset of [3_600_000, -3_600_000]) {
      await sleep(lifetime / 2)
      for (const page of [first, second]) {
        await page.evaluate(`clockOffset = ${offset}`)
      }
    }
    expect(await runs).toEqual([{}, {}])
    expect(await readLogouts()).toEqual([])
    expect(service.count('auth.refresh_replayed')).toBe(0)
  })

  async function setState(page: Page, state: 'frozen' | 'active'): Promise<void> {
    const session = await browser.context.newCDPSession(page)
    await session.send('Page.setWebLifecycleState', { state })
  }

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'survives a server that ends with %s and starts again',
    async (signal) => {
      const runs = Promise.all([run(first, `${signal} f`, 250), run(second, `${signal} g`, 250)])
      await sleep(lifetime)
      await service.end(signal)
      await service.start()
      proxy.forwardTo(service.url)
      const failed = await runs
      // A create that the process was serving when it was killed stays in progress for a minute.
      const due =
        signal === 'SIGKILL' ? /^(network_error|idempotency_conflict)$/ : /^network_error$/
      expect(codesOf(failed).filter((code) => !due.test(code))).toEqual([])
      expect(failed[0]?.['idempotency_conflict'] ?? 0).toBeLessThanOrEqual(1)
      expect(failed[1]?.['idempotency_conflict'] ?? 0).toBeLessThanOrEqual(1)
      expect(await readLogouts()).toEqual([])
      expect(service.count('auth.refresh_replayed')).toBe(0)
      expect(await first.evaluate(() => tab.burst(10))).toBe(10)
      expect(await second.evaluate(() => tab.burst(10))).toBe(10)
    },
  )

  it('survives requests and responses that are lost at random, and posts nothing twice', async () => {
    proxy.lose(0.1)
    const before = proxy.lost
    const failed = await Promise.all([run(first, 'h'), run(second, 'i')])
    proxy.lose(0)
    expect(proxy.lost - before).toBeGreaterThan(requests / 10)
    expect(codesOf(failed)).toEqual(codesOf(failed).filter((code) => code === 'network_error'))
    const { all, different } = await first.evaluate(() => tab.count())
    expect(all).toBeGreaterThan(0)
    expect(all).toBe(different)
    expect(await readLogouts()).toEqual([])
    expect(service.count('auth.refresh_replayed')).toBe(0)
    expect(Math.min(...service.gaps)).toBeGreaterThan(leastGap)
  })

  it('ends in both tabs, and a refresh that is under way does not bring it back', async () => {
    await sleep(lifetime)
    const held = proxy.hold('/api/v1/auth/refresh-token')
    const late = first.evaluate(() => tab.burst(1))
    const release = await held
    await second.evaluate(() => tab.logout())
    release()
    expect(await late).toBe(0)
    expect(await readLogouts()).toEqual(['other_tab', 'logout'])
    expect(await first.evaluate(() => tab.isLoggedIn())).toBe(false)
    expect(await second.evaluate(() => tab.isLoggedIn())).toBe(false)
    expect(await first.evaluate(() => tab.burst(1))).toBe(0)
  })
})

function codesOf(failed: readonly Record<string, number>[]): string[] {
  return failed.flatMap((counts) => Object.keys(counts))
}
