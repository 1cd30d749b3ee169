import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createMemoryStore,
  createSessionFetch,
  type Fetch,
  type SessionOptions,
  type TokenStore,
} from '../src/index.ts'
import { createNotesClient, type NotesClient, type Service, startService } from './service.ts'

let service: Service
let count = 0

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.client.stop())

beforeEach(() => {
  service.events.length = 0
})

interface LoggedIn {
  readonly client: NotesClient
  readonly store: TokenStore
  readonly reasons: string[]
}

async function logIn(options: Partial<SessionOptions> = {}): Promise<LoggedIn> {
  const store = createMemoryStore()
  const reasons: string[] = []
  const client = createNotesClient({
    url: service.client.url,
    storage: store,
    onLogout: (reason) => void reasons.push(reason),
    ...options,
  })
  count += 1
  await client.auth.register({ email: `u${count}@example.com`, password: 'correct horse battery' })
  service.events.length = 0
  return { client, store, reasons }
}

/** As it is when the lifetime of the access token has passed. */
async function expire(store: TokenStore): Promise<void> {
  const tokens = await store.read()
  await store.write(tokens && { ...tokens, expiresAt: 0 })
}

function countRefreshes(): number {
  return service.events.filter((name) => name.startsWith('auth.refresh')).length
}

/** Sends requests, and passes those for new tokens to a function of the test. */
function interceptRefresh(handle: (send: () => Promise<Response>) => Promise<Response>): Fetch {
  return (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const send = (): Promise<Response> => fetch(input, init)
    return url.endsWith('/refresh-token') ? handle(send) : send()
  }
}

describe('a session', () => {
  it('begins with register or login, and sends its token', async () => {
    const { client } = await logIn()
    expect(await client.session.isLoggedIn()).toBe(true)
    const { email } = await client.auth.me()
    expect(email).toBe(`u${count}@example.com`)
  })

  it('sends its token to no other host, nor below another path', async () => {
    const seen: (string | null)[] = []
    const { client } = await logIn({
      fetch: (input, init) => {
        if (input instanceof Request) seen.push(input.headers.get('authorization'))
        return fetch(input, init)
      },
    })
    seen.length = 0
    const other = service.client.url.replace('localhost', '127.0.0.1')
    await client.session.fetch(`${other}/api/notes`)
    expect(seen).toEqual([null])
  })

  it('refreshes before the token expires, once for requests at the same time', async () => {
    const { client, store } = await logIn()
    await expire(store)
    await Promise.all(Array.from({ length: 20 }, () => client.auth.me()))
    expect(service.events).toEqual(['auth.refreshed'])
  })

  it('refreshes and repeats a request when the server refuses its token', async () => {
    const { client, reasons, store } = await logIn()
    const tokens = await store.read()
    await store.write(tokens && { ...tokens, accessToken: `${tokens.accessToken}x` })
    const note = await client.notes.create({ title: 'kept' })
    expect(note.title).toBe('kept')
    expect(countRefreshes()).toBe(1)
    expect(reasons).toEqual([])
  })

  it('asks again with the same token when the response of a refresh is lost', async () => {
    let lost = 0
    const { client, reasons, store } = await logIn({
      fetch: interceptRefresh(async (send) => {
        const response = await send()
        lost += 1
        if (lost < 3) throw new TypeError('connection reset')
        return response
      }),
    })
    await expire(store)
    await client.auth.me()
    expect(service.events).toEqual([
      'auth.refreshed',
      'auth.refresh_reused_in_leeway',
      'auth.refresh_reused_in_leeway',
    ])
    expect(reasons).toEqual([])
  })

  it.each([
    [409, 'refresh_conflict'],
    [429, 'rate_limited'],
    [503, 'service_unavailable'],
  ])('waits after %i %s, and stays', async (status, code) => {
    let refused = 0
    const { client, reasons, store } = await logIn({
      fetch: interceptRefresh((send) => {
        refused += 1
        if (refused > 1) return send()
        const init = { status, headers: { 'retry-after': '0' } }
        return Promise.resolve(new Response(JSON.stringify({ code }), init))
      }),
    })
    await expire(store)
    await client.auth.me()
    expect(countRefreshes()).toBe(1)
    expect(reasons).toEqual([])
  })

  it('stays when the server cannot be reached, and reports that', async () => {
    const { client, reasons, store } = await logIn({
      fetch: interceptRefresh(() => Promise.resolve(new Response(null, { status: 404 }))),
    })
    await expire(store)
    const result = await client.auth.me().safe()
    expect(result).toMatchObject({ ok: false, error: { code: 'network_error', status: 0 } })
    expect(await store.read()).toBeDefined()
    expect(reasons).toEqual([])
  })

  it('ends with the reason of the server when that has ended it', async () => {
    const { client, reasons, store } = await logIn()
    const tokens = await store.read()
    const response = await fetch(`${service.client.url}/api/v1/auth/logout-all`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens?.accessToken}` },
    })
    expect(response.status).toBe(204)
    const result = await client.auth.me().safe()
    expect(result).toMatchObject({ ok: false, error: { status: 401 } })
    expect(reasons).toHaveLength(1)
    expect(reasons[0]).toMatch(/^(session_revoked|invalid_token|refresh_token_\w+)$/)
    expect(await client.session.isLoggedIn()).toBe(false)
  })

  it('ends on the server too, when it is logged out', async () => {
    const { client, reasons, store } = await logIn()
    const tokens = await store.read()
    await client.session.logout()
    expect(reasons).toEqual(['logout'])
    expect(await store.read()).toBeUndefined()
    const response = await fetch(`${service.client.url}/api/v1/auth/me`, {
      headers: { authorization: `Bearer ${tokens?.accessToken}` },
    })
    expect(response.status).toBe(401)
  })

  it('has ended here when the server cannot be reached for the logout', async () => {
    let offline = false
    const { client, store } = await logIn({
      fetch: (input, init) => (offline ? Promise.reject(new TypeError('off')) : fetch(input, init)),
    })
    offline = true
    await expect(client.session.logout()).rejects.toMatchObject({ code: 'network_error' })
    expect(await store.read()).toBeUndefined()
  })

  it('does not begin again with the response of a refresh that arrives after the logout', async () => {
    const steps = new EventEmitter()
    const arrived = once(steps, 'arrived')
    const released = once(steps, 'released')
    const { client, store } = await logIn({
      fetch: interceptRefresh(async (send) => {
        const response = await send()
        steps.emit('arrived')
        await released
        return response
      }),
    })
    await expire(store)
    const late = client.auth.me().safe()
    await arrived
    await client.session.logout()
    steps.emit('released')
    expect(await late).toMatchObject({ ok: false, error: { status: 401 } })
    expect(await store.read()).toBeUndefined()
  })

  it('does not repeat a request whose body is a stream', async () => {
    const { client, store } = await logIn()
    const tokens = await store.read()
    await store.write(tokens && { ...tokens, accessToken: `${tokens.accessToken}x` })
    const body = new Blob(['{"title":"a"}']).stream()
    const init: RequestInit = {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    }
    const response = await client.session.fetch(`${service.client.url}/api/notes`, init)
    expect(response.status).toBe(401)
  })
})

describe('createSessionFetch', () => {
  it('continues with the tokens that a change of the password returns', async () => {
    const { client, store, reasons } = await logIn()
    const send = createSessionFetch({ url: service.client.url, storage: store })
    const before = await store.read()
    const passwords = {
      currentPassword: 'correct horse battery',
      newPassword: 'other horse battery',
    }
    const response = await send(`${service.client.url}/api/v1/auth/change-password`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(passwords),
    })
    expect(response.status).toBe(200)
    expect((await store.read())?.refreshToken).not.toBe(before?.refreshToken)
    await expire(store)
    expect(await client.auth.me()).toMatchObject({ email: `u${count}@example.com` })
    expect(reasons).toEqual([])
    client.session.close()
  })

  it('sends a wrong password once, and keeps the session', async () => {
    const { client, store } = await logIn()
    let sent = 0
    const send = createSessionFetch({
      url: service.client.url,
      storage: store,
      fetch: (input, init) => {
        sent += 1
        return fetch(input, init)
      },
    })
    const before = await store.read()
    const response = await send(`${service.client.url}/api/v1/auth/reauthenticate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: 'a wrong password' }),
    })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ code: 'invalid_credentials' })
    expect([sent, await store.read()]).toEqual([1, before])
    client.session.close()
  })

  it('gives a plain fetch the same session', async () => {
    const { client, store } = await logIn()
    const send = createSessionFetch({ url: service.client.url, storage: store })
    await expire(store)
    const response = await send(`${service.client.url}/api/v1/auth/me`)
    expect(response.status).toBe(200)
    expect(await send.session.isLoggedIn()).toBe(true)
    client.session.close()
  })
})

it('CLT-01 sends a refresh token to no address that the server redirects to', async () => {
  const received: string[] = []
  const other = createServer((req, res) => {
    received.push(req.url ?? '')
    res.end('{}')
  }).listen(0)
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const redirecting = createServer((req, res) => {
    res.writeHead(307, { Location: `http://localhost:${port}${req.url ?? ''}` }).end()
  }).listen(0)
  await once(redirecting, 'listening')
  const { port: first } = redirecting.address() as AddressInfo
  try {
    const { store } = await logIn()
    const moved = createNotesClient({ url: `http://localhost:${first}`, storage: store })
    await expect(moved.session.logout()).rejects.toMatchObject({ code: 'network_error' })
    expect(received).toEqual([])
  } finally {
    other.close()
    redirecting.close()
  }
})
