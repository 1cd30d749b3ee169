import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Cluster, startCluster } from './auth-cluster.ts'

const password = 'TestRiver42!'
const base = '/api/v1/auth'
// The long form is for the night: RACE_RUNS=20.
const runs = Number(process.env['RACE_RUNS'] ?? 1)
const databaseDelay = Number(process.env['RACE_DELAY'] ?? 50)
let users = 0

function nextEmail(): string {
  return `user${users++}@example.org`
}

async function register(cluster: Cluster, email = nextEmail()): Promise<Answer['data']> {
  const answer = await cluster.call(`${base}/register`, { body: { email, password } })
  expect(answer.status).toBe(201)
  return answer.data
}

function refresh(cluster: Cluster, refreshToken: string, process?: number): Promise<Answer> {
  const body = { refreshToken }
  return cluster.call(`${base}/refresh-token`, process === undefined ? { body } : { body, process })
}

async function storm(cluster: Cluster, refreshToken: string, size: number): Promise<Answer[]> {
  return Promise.all(Array.from({ length: size }, () => refresh(cluster, refreshToken)))
}

function count(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, code } of answers) {
    const key = code ?? String(status)
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}

function tokensOf(answers: readonly Answer[]): string[] {
  const given = answers.filter(({ status }) => status === 200)
  return [...new Set(given.map(({ data }) => data.refreshToken))]
}

// Alive with one, or revoked with none: trying the newest token shows which. Returns the next one.
async function expectOneState(
  cluster: Cluster,
  answers: readonly Answer[],
): Promise<string | undefined> {
  for (const { status } of answers) expect([200, 401, 409]).toContain(status)
  const tokens = tokensOf(answers)
  expect(tokens.length).toBeLessThanOrEqual(1)
  const [token] = tokens
  if (token === undefined) return undefined
  const { status, code, data } = await refresh(cluster, token)
  expect(['ok', 'session_revoked']).toContain(code ?? 'ok')
  return status === 200 ? data.refreshToken : undefined
}

describe('two processes on one database', () => {
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await startCluster({ processes: 2 })
  }, 60_000)
  afterAll(() => cluster.stop())

  it(
    'LOG-03 F-01 100 registrations of one address give one user',
    { timeout: 120_000 },
    async () => {
      for (let run = 0; run < runs; run++) {
        const email = nextEmail()
        const calls = Array.from({ length: 100 }, (_, index) => {
          const spelled = index % 3 === 0 ? email.toUpperCase() : email
          return cluster.call(`${base}/register`, { body: { email: spelled, password } })
        })
        expect(count(await Promise.all(calls))).toEqual({ 201: 1, email_taken: 99 })
        expect(await cluster.connection.collection('users').countDocuments({ email })).toBe(1)
      }
    },
  )

  it(
    'F-02 no session outlives a user who is removed during logins',
    { timeout: 120_000 },
    async () => {
      for (let run = 0; run < runs; run++) {
        const email = nextEmail()
        const { user } = await register(cluster, email)
        const logins = Array.from({ length: 100 }, async (_, index) => {
          await wait(index)
          return cluster.call(`${base}/login`, { body: { email, password } })
        })
        await wait(100)
        await cluster.call(`/users/${user.id}`, { method: 'DELETE' })
        const answers = await Promise.all(logins)
        for (const { status, data } of answers) {
          expect([200, 401]).toContain(status)
          if (status !== 200) continue
          const me = await cluster.call(`${base}/me`, { method: 'GET', token: data.accessToken })
          expect(me.status).toBe(401)
          expect((await refresh(cluster, data.refreshToken)).status).toBe(401)
        }
        const orphans = cluster.connection
          .collection('sessions')
          .countDocuments({ userId: user.id })
        expect(await orphans).toBe(0)
      }
    },
  )

  it(
    'REF-04 F-03b a storm of 1,000 refreshes ends in one state',
    { timeout: 120_000 },
    async () => {
      for (let run = 0; run < runs; run++) {
        const { refreshToken } = await register(cluster)
        const answers = await storm(cluster, refreshToken, 1000)
        expect(answers).toHaveLength(1000)
        await expectOneState(cluster, answers)
      }
    },
  )
})

describe('one process', () => {
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await startCluster({ processes: 1 })
  }, 60_000)
  afterAll(() => cluster.stop())

  it(
    'REF-04 F-03a a storm of 1,000 refreshes ends in one state',
    { timeout: 120_000 },
    async () => {
      for (let run = 0; run < runs; run++) {
        const { refreshToken } = await register(cluster)
        const answers = await storm(cluster, refreshToken, 1000)
        expect(answers).toHaveLength(1000)
        await expectOneState(cluster, answers)
      }
    },
  )
})

describe.each([1, 2])('%d process(es) and a database that takes its time', (processes) => {
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await startCluster({ processes, databaseDelay })
  }, 60_000)
  afterAll(() => cluster.stop())

  it.each([2, 5])(
    'REF-04 F-03b2 %d overlapping refreshes leave the family alive',
    { timeout: 300_000 },
    async (size) => {
      const deaths = []
      let next: string | undefined
      for (let run = 0; run < runs * 4; run++) {
        const token = next ?? (await register(cluster)).refreshToken
        const answers = await storm(cluster, token, size)
        next = await expectOneState(cluster, answers)
        if (next === undefined) deaths.push(count(answers))
      }
      expect(deaths).toEqual([])
    },
  )

  it(
    'REF-02 F-03c a replay a second after an overlap ends the family',
    { timeout: 120_000 },
    async () => {
      for (let run = 0; run < runs; run++) {
        const { refreshToken, accessToken } = await register(cluster)
        const answers = await storm(cluster, refreshToken, 2)
        const [token = ''] = tokensOf(answers)
        await wait(1000)
        const replay = await refresh(cluster, refreshToken)
        expect(replay.code).toBe('refresh_token_reused')
        expect((await refresh(cluster, token)).code).toBe('session_revoked')
        for (const presented of [accessToken, ...answers.map(({ data }) => data?.accessToken)]) {
          if (presented === undefined) continue
          const me = await cluster.call(`${base}/me`, { method: 'GET', token: presented })
          expect(me.code).toBe('session_revoked')
        }
      }
    },
  )
})

describe('two processes with a leeway', () => {
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await startCluster({ processes: 2, auth: { refreshLeeway: 10 } })
  }, 60_000)
  afterAll(() => cluster.stop())

  it(
    'REF-05 F-03b a storm of 1,000 refreshes leaves the family alive',
    { timeout: 120_000 },
    async () => {
      for (let run = 0; run < runs; run++) {
        const { refreshToken } = await register(cluster)
        const answers = await storm(cluster, refreshToken, 1000)
        expect(count(answers)).not.toHaveProperty('401')
        expect(answers.filter(({ status }) => ![200, 409].includes(status))).toEqual([])
        expect(await expectOneState(cluster, answers)).toBeDefined()
      }
    },
  )
})
