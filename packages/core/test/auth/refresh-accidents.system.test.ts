import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Cluster, type ClusterResponse, startCluster } from './auth-cluster.ts'

const base = '/api/v1/auth'
const password = 'TestRiver42!'
const start = Date.UTC(2100, 0, 1)
const second = 1000
// The long form: ACCIDENT_TRIALS=200.
const trials = Number(process.env['ACCIDENT_TRIALS'] ?? 10)
// Sessions that are tried at the same time.
const parallel = 10

let cluster: Cluster

// Everything that a user's clients may do with the current token of a session, by accident. Returns the
// responses that they got.
type Accident = (token: string) => Promise<ClusterResponse[]>

function refresh(refreshToken: string, process?: number): Promise<ClusterResponse> {
  const place = process === undefined ? {} : { process }
  return cluster.call(`${base}/refresh-token`, { body: { refreshToken }, ...place })
}

async function advance(milliseconds: number): Promise<void> {
  clock += milliseconds
  await Promise.all([0, 1].map((process) => cluster.setClock(process, clock)))
}

let clock = start

function twoTabs(gap: number, processes = [0, 0]): Accident {
  return async (token) => {
    const first = refresh(token, processes[0])
    if (gap > 0) await wait(gap)
    return Promise.all([first, refresh(token, processes[1])])
  }
}

// Refreshes, and loses the connection when so many bytes of the response were read. Returns the number
// of bytes that had arrived.
async function loseResponse(refreshToken: string, process: number, bytes = 0): Promise<number> {
  const socket = connect(cluster.port(process), '127.0.0.1')
  const body = JSON.stringify({ refreshToken })
  const head = [
    `POST ${base}/refresh-token HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  await once(socket, 'readable')
  let length = 0
  for await (const chunk of socket) {
    length += chunk.length
    if (length >= bytes) break
  }
  return length
}

async function openSessions(count: number): Promise<string[]> {
  const tokens = []
  for (let index = 0; index < count; index++) {
    const email = `user${clock}.${index}@example.org`
    const { data } = await cluster.call(`${base}/register`, { body: { email, password } })
    tokens.push(data.refreshToken)
  }
  return tokens
}

// How many of the sessions end, when each has the same accident.
async function countEnded(accident: Accident): Promise<number> {
  const tokens = await openSessions(trials)
  const ended: string[] = []
  async function tryNext(): Promise<void> {
    for (let token = tokens.pop(); token !== undefined; token = tokens.pop()) {
      const responses = await accident(token)
      const given = new Set(responses.map(({ data }) => data?.refreshToken))
      const [next = ''] = given
      expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
      expect(given.size).toBe(1)
      if ((await refresh(next)).status !== 200) ended.push(next)
    }
  }
  await Promise.all(Array.from({ length: parallel }, tryNext))
  return ended.length
}

// Every session has the same gap of time between two refreshes of one token.
async function countEndedByGap(gap: number, processes: [number, number]): Promise<number> {
  const tokens = await openSessions(trials)
  const first = await Promise.all(tokens.map((token) => refresh(token, processes[0])))
  await advance(gap)
  const again = await Promise.all(tokens.map((token) => refresh(token, processes[1])))
  expect(again.map(({ data }) => data)).toEqual(
    first.map(({ data }) => ({ ...data, expiresIn: data.expiresIn - gap / second })),
  )
  const next = await Promise.all(again.map(({ data }) => refresh(data.refreshToken)))
  return next.filter(({ status }) => status !== 200).length
}

describe('with the default leeway, no session ends', () => {
  beforeAll(async () => {
    cluster = await startCluster({ processes: 2, hashed: false })
  })
  beforeEach(() => advance(3600 * second))
  afterAll(() => cluster.stop())

  it.each([0, 2, 20, 200])('REF-05 when two tabs refresh %d ms apart', async (gap) => {
    expect(await countEnded(twoTabs(gap))).toBe(0)
  })

  it.each([0, 2, 20])('REF-05 when two tabs refresh %d ms apart in two processes', async (gap) => {
    expect(await countEnded(twoTabs(gap, [0, 1]))).toBe(0)
  })

  it.each([
    [1, [0, 0]],
    [5, [0, 0]],
    [9, [0, 0]],
    [1, [0, 1]],
    [5, [0, 1]],
    [9, [0, 1]],
  ] as const)(
    'REF-05 when two tabs refresh %d s apart, in processes %j',
    async (gap, processes) => {
      expect(await countEndedByGap(gap * second, [...processes])).toBe(0)
    },
  )

  it.each([
    ['the same process', 0],
    ['another process', 1],
  ])('REF-05 when a response is lost and the client tries again at %s', async (_, process) => {
    const accident: Accident = async (token) => {
      await loseResponse(token, 0)
      await wait(2)
      return [await refresh(token, process)]
    }
    expect(await countEnded(accident)).toBe(0)
  })

  it('REF-05 when a client loses three responses', async () => {
    const accident: Accident = async (token) => {
      for (const process of [0, 1, 0]) await loseResponse(token, process)
      return [await refresh(token, 1)]
    }
    expect(await countEnded(accident)).toBe(0)
  })

  it('REF-05 when a computer with two tabs wakes up', async () => {
    await advance(8 * 3600 * second)
    expect(await countEnded(twoTabs(1, [0, 1]))).toBe(0)
  })

  it('REF-05 when a response is lost at any byte, and the client gets the very tokens', async () => {
    const [token = ''] = await openSessions(1)
    const length = await loseResponse(token, 0, Infinity)
    let current = token
    const step = trials < 200 ? 61 : 1
    for (let bytes = 1; bytes < length; bytes += step) {
      await loseResponse(current, bytes % 2, bytes)
      const { status, data } = await refresh(current)
      expect(status).toBe(200)
      current = data.refreshToken
    }
    expect(length).toBeGreaterThan(500)
  })
})

describe.each([
  ['the default leeway', {}, 11 * second],
  ['no leeway', { refreshLeeway: 0 }, 2 * second],
])('with %s, every replay ends its session', (_, auth, late) => {
  beforeAll(async () => {
    cluster = await startCluster({ processes: 2, hashed: false, auth })
  })
  beforeEach(() => advance(3600 * second))
  afterAll(() => cluster.stop())

  // Presents a token, then the newest one; returns the codes of both responses.
  async function replay(token: string, newest: string, process: number): Promise<unknown[]> {
    const replayed = await refresh(token, process)
    return [replayed.code, (await refresh(newest)).code]
  }

  it.each([0, 1])('REF-02 of a token two generations old, at process %d', async (process) => {
    const codes = []
    for (const first of await openSessions(trials)) {
      const { data: next } = await refresh(first, 0)
      const { data: newest } = await refresh(next.refreshToken, 0)
      codes.push(await replay(first, newest.refreshToken, process))
    }
    expect(codes).toEqual(codes.map(() => ['refresh_token_reused', 'session_revoked']))
  })

  it.each([0, 1])('REF-02 of the predecessor after that time, at process %d', async (process) => {
    const codes = []
    for (const first of await openSessions(trials)) {
      const { data } = await refresh(first, 0)
      await advance(late)
      codes.push(await replay(first, data.refreshToken, process))
    }
    expect(codes).toEqual(codes.map(() => ['refresh_token_reused', 'session_revoked']))
  })

  it('REF-02 and no token of an ended session works', async () => {
    const codes = []
    for (const first of await openSessions(trials)) {
      const { data } = await refresh(first, 0)
      const { refreshToken } = data
      await cluster.call(`${base}/logout`, { body: { refreshToken }, process: 1 })
      codes.push(await replay(first, refreshToken, 0))
      const me = await cluster.call(`${base}/me`, { method: 'GET', token: data.accessToken })
      expect(me.code).toBe('session_revoked')
    }
    expect(codes).toEqual(codes.map(() => ['session_revoked', 'session_revoked']))
  })
})
