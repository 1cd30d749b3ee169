import { once } from 'node:events'
import { type Server } from 'node:http'
import { type AddressInfo } from 'node:net'
import express, { type Express } from 'express'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Auth, createAuth } from '../../src/lib/create-auth.ts'
import { type AuthHooks } from '../../src/lib/auth/events/hooks.ts'
import { createKeyRing } from '../../src/lib/auth/tokens/keys.ts'
import { createRefreshOverlap } from '../../src/lib/auth/sessions/refresh-overlap.ts'
import { type PresentedToken } from '../../src/lib/auth/sessions/refresh-token.ts'
import { createSessionModel } from '../../src/lib/auth/sessions/session-model.ts'
import { createSessionStore, type SessionStore } from '../../src/lib/auth/sessions/session-store.ts'
import { createServer } from '../../src/lib/create-server.ts'
import { errorHandler } from '../../src/lib/http/error-handler.ts'
import {
  password,
  silent,
  startTestDatabase,
  type TestDatabase,
  testSecret,
} from './auth-fixture.ts'

const start = Date.UTC(2100, 0, 1)
let database: TestDatabase
let clock = start

beforeAll(async () => {
  database = await startTestDatabase()
})
beforeEach(() => {
  clock = start
})
afterAll(() => database.stop())

// One process: a separate store on the common database, with its own clock.
function startProcess(offset = 0): SessionStore {
  return createSessionStore(createSessionModel({ connection: database.connection, prefix: '' }), {
    keys: createKeyRing([testSecret]),
    refreshIdleLifetime: 3_600_000,
    refreshAbsoluteLifetime: 3_600_000,
    refreshLeeway: 0,
    overlapSkew: 0,
    sessionsPerUser: 20,
    now: () => clock + offset,
  })
}

async function recognise(store: SessionStore, token: string): Promise<PresentedToken> {
  const found = await store.recognise(token)
  if (!found) throw new Error('The token is not ours.')
  return found
}

const origin = { address: undefined, device: undefined }
const arriving = (arrivedAt: number): { arrivedAt: number; address: undefined } => ({
  arrivedAt,
  address: undefined,
})

describe('requests that overlap a refresh', () => {
  it('REF-04 overlap when the token was still current after they arrived, whatever the clocks', async () => {
    const [first, second] = [startProcess(), startProcess(60_000)]
    const { refreshToken, sessionId } = await first.create('user', origin)
    const late = await recognise(second, refreshToken)
    const rotation = await first.rotate(await recognise(first, refreshToken), arriving(clock))
    expect(rotation.status).toBe('rotated')
    expect((await second.rotate(late, arriving(clock + 60_000))).status).toBe('overlap')
    expect(await first.findLive(sessionId, 'user')).toBeDefined()
  })

  it('REF-02 are replays when they arrived after the response, in the same process and in another', async () => {
    for (const store of [startProcess(), startProcess()]) {
      clock += 1000
      const first = startProcess()
      const { refreshToken, sessionId } = await first.create('user', origin)
      await first.rotate(await recognise(first, refreshToken), arriving(clock))
      clock += 1000
      const replay = await store.rotate(await recognise(store, refreshToken), arriving(clock))
      expect(replay.status).toBe('replayed')
      expect(await first.findLive(sessionId, 'user')).toBeUndefined()
    }
  })
})

describe('createRefreshOverlap', () => {
  const key = 'session.1'
  const refresh = { key, rotatedAt: 1000 }

  it('counts until the end of a refresh of this process, not its beginning', () => {
    const overlap = createRefreshOverlap({ skew: 0, leeway: 0 })
    overlap.noteEnd(key, 2000)
    overlap.noteEnd(key, 1030)
    const compare = (arrivedAt: number): string =>
      overlap.compare(refresh, { arrivedAt, tookMs: 500 })
    expect([990, 1000, 1029].map(compare)).toEqual(['during', 'during', 'during'])
    expect([1030, 1031].map(compare)).toEqual(['later', 'later'])
  })

  it('assumes that a refresh of another process took as long as its own attempt', () => {
    const overlap = createRefreshOverlap({ skew: 0, leeway: 0 })
    const compare = (arrivedAt: number): string =>
      overlap.compare(refresh, { arrivedAt, tookMs: 12.5 })
    expect([1000, 1012, 1013].map(compare)).toEqual(['during', 'during', 'later'])
  })

  it('allows for the clocks of other hosts', () => {
    const overlap = createRefreshOverlap({ skew: 2000, leeway: 0 })
    expect(overlap.compare(refresh, { arrivedAt: 3000, tookMs: 0 })).toBe('during')
    expect(overlap.compare(refresh, { arrivedAt: 3001, tookMs: 0 })).toBe('later')
  })

  it('is followed by the leeway', () => {
    const overlap = createRefreshOverlap({ skew: 0, leeway: 10_000 })
    const compare = (arrivedAt: number): string =>
      overlap.compare(refresh, { arrivedAt, tookMs: 0 })
    expect([1000, 1001, 11_000, 11_001].map(compare)).toEqual([
      'during',
      'leeway',
      'leeway',
      'later',
    ])
    overlap.noteEnd(key, 1030)
    expect([1029, 1030, 11_029, 11_030].map(compare)).toEqual([
      'during',
      'leeway',
      'leeway',
      'later',
    ])
  })
})

// Blocks until it is released.
function createHold(): { wait: () => Promise<void>; held: Promise<void>; release: () => void } {
  let release = (): void => {}
  let arrive = (): void => {}
  const held = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  return {
    wait() {
      arrive()
      return released
    },
    held,
    release,
  }
}

type Post = (path: string, body: object) => Promise<{ status: number; body: Body }>

async function serve(app: Express): Promise<{ post: Post; stop: () => void }> {
  const server: Server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    async post(path, body) {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/auth${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: JSON.parse(await response.text()) }
    },
    stop: () => void server.close(),
  }
}

async function startAuth(hooks?: AuthHooks): Promise<Auth> {
  const { connection } = database
  const options = {
    secrets: [testSecret],
    connection,
    logger: silent,
    hooks,
    limits: false as const,
  }
  const auth = createAuth({ ...options, refreshLeeway: 0 })
  await auth.init()
  return auth
}

describe('the arrival of a request', () => {
  it('REF-04 is when its head was read, not when it had passed the earlier stages', async () => {
    const auth = await startAuth()
    const hold = createHold()
    let count = 0
    const app = express()
    // A limit with a slow store, for example.
    app.post('/api/v1/auth/refresh-token', async (_req, _res, next) => {
      if (++count === 2) await hold.wait()
      next()
    })
    app.use('/api/v1/auth', auth.router, errorHandler({ logger: silent }))
    const { post, stop } = await serve(app)
    const { body } = await post('/register', { email: 'ada@x.io', password })
    const { refreshToken } = body.data
    const responses = [
      post('/refresh-token', { refreshToken }),
      post('/refresh-token', { refreshToken }),
    ]
    await hold.held
    const winner = await Promise.race(responses)
    expect(winner.status).toBe(200)
    hold.release()
    const loser = (await Promise.all(responses)).find(({ status }) => status !== 200)
    expect(loser?.body.code).toBe('refresh_conflict')
    expect(
      (await post('/refresh-token', { refreshToken: winner.body.data.refreshToken })).status,
    ).toBe(200)
    stop()
  })
})

describe('the end of a refresh', () => {
  it('REF-04 is when its response has left, however long a hook takes', async () => {
    const hold = createHold()
    let isFirst = true
    // The refresh is complete and its response waits here.
    const afterRefresh = async (): Promise<void> => {
      if (!isFirst) return
      isFirst = false
      await hold.wait()
    }
    const auth = await startAuth({ afterRefresh })
    const app = express().use('/api/v1/auth', auth.router, errorHandler({ logger: silent }))
    const { post, stop } = await serve(app)
    const { body } = await post('/register', { email: 'grace@x.io', password })
    const { refreshToken } = body.data
    const first = post('/refresh-token', { refreshToken })
    await hold.held
    const second = await post('/refresh-token', { refreshToken })
    expect(second.body.code).toBe('refresh_conflict')
    hold.release()
    const winner = await first
    expect(winner.status).toBe(200)
    const replay = await post('/refresh-token', { refreshToken })
    expect(replay.body.code).toBe('refresh_token_reused')
    stop()
  })

  it('REF-02 is at most a second later when its client does not read the response', async () => {
    const store = startProcess()
    const { refreshToken, sessionId } = await store.create('user', origin)
    const token = await recognise(store, refreshToken)
    const never = { ...arriving(clock), afterResponse: () => {} }
    expect((await store.rotate(token, never)).status).toBe('rotated')
    clock += 999
    const soon = await store.rotate(await recognise(store, refreshToken), arriving(clock))
    expect(soon.status).toBe('overlap')
    clock += 1
    const replay = await store.rotate(await recognise(store, refreshToken), arriving(clock))
    expect(replay.status).toBe('replayed')
    expect(await store.findLive(sessionId, 'user')).toBeUndefined()
  })
})

interface Body {
  code: string
  data: { refreshToken: string }
}
