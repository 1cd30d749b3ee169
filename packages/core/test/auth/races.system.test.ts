import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClusterResponse, type Cluster, startCluster } from './auth-cluster.ts'

const password = 'TestRiver42!'
const base = '/api/v1/auth'
// The long form, for nightly runs: RACE_RUNS=20.
const runs = Number(process.env['RACE_RUNS'] ?? 1)
const databaseDelay = Number(process.env['RACE_DELAY'] ?? 50)
// The harder case: with a leeway no session ends.
const strict = { refreshLeeway: 0 }
let users = 0

function nextEmail(): string {
  return `user${users++}@example.org`
}

async function register(cluster: Cluster, email = nextEmail()): Promise<ClusterResponse['data']> {
  const response = await cluster.call(`${base}/register`, { body: { email, password } })
  expect(response.status).toBe(201)
  return response.data
}

function refresh(
  cluster: Cluster,
  refreshToken: string,
  process?: number,
): Promise<ClusterResponse> {
  const body = { refreshToken }
  return cluster.call(`${base}/refresh-token`, process === undefined ? { body } : { body, process })
}

async function storm(
  cluster: Cluster,
  refreshToken: string,
  size: number,
): Promise<ClusterResponse[]> {
  return Promise.all(Array.from({ length: size }, () => refresh(cluster, refreshToken)))
}

function count(responses: readonly ClusterResponse[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, code } of responses) {
    const key = code ?? String(status)
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}

function tokensOf(responses: readonly ClusterResponse[]): string[] {
  const given = responses.filter(({ status }) => status === 200)
  return [...new Set(given.map(({ data }) => data.refreshToken))]
}

// Either live with one token or revoked: the newest token shows which. Returns the next one.
async function expectOneState(
  cluster: Cluster,
  responses: readonly ClusterResponse[],
): Promise<string | undefined> {
  for (const { status } of responses) expect([200, 401, 409]).toContain(status)
  const tokens = tokensOf(responses)
  expect(tokens.length).toBeLessThanOrEqual(1)
  const [token] = tokens
  if (token === undefined) return undefined
  const { status, code, data } = await refresh(cluster, token)
  expect(['ok', 'session_revoked']).toContain(code ?? 'ok')
  return status === 200 ? data.refreshToken : undefined
}

// How many responses each storm had.
async function runStorms(cluster: Cluster): Promise<number[]> {
  const counts = []
  for (let run = 0; run < runs; run++) {
    const { refreshToken } = await register(cluster)
    const responses = await storm(cluster, refreshToken, 1000)
    await expectOneState(cluster, responses)
    counts.push(responses.length)
  }
  return counts
}

describe('two processes on one database', () => {
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await startCluster({ processes: 2, auth: strict })
  })
  afterAll(() => cluster.stop())

  it('LOG-03 F-01 100 registrations of one address create one user', async () => {
    for (let run = 0; run < runs; run++) {
      const email = nextEmail()
      const calls = Array.from({ length: 100 }, (_, index) => {
        const spelled = index % 3 === 0 ? email.toUpperCase() : email
        return cluster.call(`${base}/register`, { body: { email: spelled, password } })
      })
      expect(count(await Promise.all(calls))).toEqual({ 201: 1, email_taken: 99 })
      expect(await cluster.connection.collection('users').countDocuments({ email })).toBe(1)
    }
  })

  it('F-02 no session outlives a user who is removed during logins', async () => {
    for (let run = 0; run < runs; run++) {
      const email = nextEmail()
      const { user } = await register(cluster, email)
      const logins = Array.from({ length: 100 }, async (_, index) => {
        await wait(index)
        return cluster.call(`${base}/login`, { body: { email, password } })
      })
      await wait(100)
      await cluster.call(`/users/${user.id}`, { method: 'DELETE' })
      const responses = await Promise.all(logins)
      for (const { status, data } of responses) {
        expect([200, 401]).toContain(status)
        if (status !== 200) continue
        const me = await cluster.call(`${base}/me`, { method: 'GET', token: data.accessToken })
        expect(me.status).toBe(401)
        expect((await refresh(cluster, data.refreshToken)).status).toBe(401)
      }
      const orphans = cluster.connection.collection('sessions').countDocuments({ userId: user.id })
      expect(await orphans).toBe(0)
    }
  })

  it('REF-04 F-03b a storm of 1,000 refreshes results in one state', async () => {
    expect(await runStorms(cluster)).toEqual(Array.from({ length: runs }, () => 1000))
  })
})

describe('one process', () => {
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await startCluster({ processes: 1, auth: strict })
  })
  afterAll(() => cluster.stop())

  it('REF-04 F-03a a storm of 1,000 refreshes results in one state', async () => {
    expect(await runStorms(cluster)).toEqual(Array.from({ length: runs }, () => 1000))
  })
})

describe.each([1, 2])('%d process(es) and a slow database', (processes) => {
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await startCluster({ processes, databaseDelay, auth: strict })
  })
  afterAll(() => cluster.stop())

  it.each([2, 5])('REF-04 F-03b2 %d overlapping refreshes keep the session alive', async (size) => {
    const deaths = []
    let next: string | undefined
    for (let run = 0; run < runs * 4; run++) {
      const token = next ?? (await register(cluster)).refreshToken
      const responses = await storm(cluster, token, size)
      next = await expectOneState(cluster, responses)
      if (next === undefined) deaths.push(count(responses))
    }
    expect(deaths).toEqual([])
  })

  it('REF-02 F-03c a replay a second after an overlap revokes the session', async () => {
    for (let run = 0; run < runs; run++) {
      const { refreshToken, accessToken } = await register(cluster)
      const responses = await storm(cluster, refreshToken, 2)
      const [token = ''] = tokensOf(responses)
      await wait(1000)
      const replay = await refresh(cluster, refreshToken)
      expect(replay.code).toBe('refresh_token_reused')
      expect((await refresh(cluster, token)).code).toBe('session_revoked')
      for (const presented of [accessToken, ...responses.map(({ data }) => data?.accessToken)]) {
        if (presented === undefined) continue
        const me = await cluster.call(`${base}/me`, { method: 'GET', token: presented })
        expect(me.code).toBe('session_revoked')
      }
    }
  })
})

describe('two processes with the default leeway', () => {
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await startCluster({ processes: 2 })
  })
  afterAll(() => cluster.stop())

  it('REF-05 F-03b a storm of 1,000 refreshes keeps the session alive', async () => {
    for (let run = 0; run < runs; run++) {
      const { refreshToken } = await register(cluster)
      const responses = await storm(cluster, refreshToken, 1000)
      expect(count(responses)).not.toHaveProperty('401')
      expect(responses.filter(({ status }) => ![200, 409].includes(status))).toEqual([])
      expect(await expectOneState(cluster, responses)).toBeDefined()
    }
  })
})
