import { Types } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cluster, type ClusterResponse, startCluster } from './auth-cluster.ts'
import { createRandom } from '../random.ts'

// The long form, for nightly runs: SEQUENCES=1000.
const sequences = Number(process.env['SEQUENCES'] ?? 20)
const steps = 20
const base = '/api/v1/auth'
const second = 1000
const passwords = ['TestRiver42!', 'Another-River-42']

interface Session {
  readonly id: string
  gen: number
  // By the clock of the process that refreshed it last.
  rotatedAt: number | undefined
  // The last generation that was returned again in the leeway, and how many in a row there were.
  reissued: number | undefined
  inRow: number
  renewedGen: number
  isEnded: boolean
  // By generation.
  readonly tokens: string[]
  accessToken: string
}

interface World {
  readonly random: (below: number) => number
  readonly cluster: Cluster
  readonly leeway: number
  readonly email: string
  password: number
  readonly clocks: [number, number]
  readonly sessions: Session[]
  readonly differences: string[]
}

type Move = (world: World) => Promise<void>

function toProcess({ random }: World): 0 | 1 {
  return random(2) === 0 ? 0 : 1
}

function pick({ random, sessions }: World): Session | undefined {
  return sessions[random(sessions.length)]
}

function compare(world: World, move: string, actual: unknown, expected: unknown): void {
  if (actual !== expected)
    world.differences.push(`${move}: ${String(actual)}, not ${String(expected)}`)
}

function refresh(
  { cluster }: World,
  refreshToken: string,
  process: number,
): Promise<ClusterResponse> {
  return cluster.call(`${base}/refresh-token`, { body: { refreshToken }, process })
}

async function login(world: World): Promise<void> {
  const { cluster, email, password, sessions } = world
  const body = { email, password: passwords[password] }
  const { data } = await cluster.call(`${base}/login`, { body, process: toProcess(world) })
  const id = data.refreshToken.split('.')[1] ?? ''
  const tokens = [data.refreshToken]
  const { accessToken } = data
  sessions.push({
    id,
    gen: 0,
    rotatedAt: undefined,
    reissued: undefined,
    inRow: 0,
    renewedGen: 0,
    isEnded: false,
    tokens,
    accessToken,
  })
}

// What the newest token of a session must return, at the time of a clock.
function rotate(session: Session, now: number): string {
  if (session.isEnded) return 'session_revoked'
  session.gen++
  session.rotatedAt = now
  return '200'
}

// What an older token must return.
function judge(world: World, session: Session, gen: number, now: number): string {
  if (session.isEnded) return 'session_revoked'
  const { rotatedAt = 0, reissued } = session
  if (gen < session.renewedGen) {
    return now - world.leeway <= rotatedAt ? 'refresh_conflict' : 'session_revoked'
  }
  if (gen === session.gen - 1) {
    if (now <= rotatedAt) return world.leeway > 0 ? '200' : 'refresh_conflict'
    if (reissued !== session.gen) session.inRow = reissued === gen ? session.inRow + 1 : 1
    if (now - world.leeway <= rotatedAt && session.inRow <= 3) {
      session.reissued = session.gen
      return '200'
    }
  }
  session.isEnded = true
  return 'refresh_token_reused'
}

// Compares a response with what was expected, and keeps the tokens of a successful one.
function take(
  world: World,
  move: string,
  session: Session,
  { expected, response }: { expected: string; response: ClusterResponse },
): void {
  const { status, code, data } = response
  compare(world, move, code ?? String(status), expected)
  if (status !== 200) return
  const known = session.tokens[session.gen]
  if (known !== undefined) compare(world, `${move}, its token`, data.refreshToken, known)
  session.tokens[session.gen] = data.refreshToken
  session.accessToken = data.accessToken
}

async function refreshCurrent(world: World): Promise<void> {
  const session = pick(world)
  if (!session) return
  const process = toProcess(world)
  const token = session.tokens[session.gen] ?? ''
  const expected = rotate(session, world.clocks[process])
  const response = await refresh(world, token, process)
  take(world, 'refresh', session, { expected, response })
}

// They are in flight together: each gets the same tokens. Without a leeway a request may be read after
// the response to another has left, which ends the session.
async function refreshInParallel(world: World): Promise<void> {
  const session = pick(world)
  if (!session) return
  const token = session.tokens[session.gen] ?? ''
  const responses = await Promise.all([0, 1, 0, 1].map((process) => refresh(world, token, process)))
  const expected = rotate(session, await readRotatedAt(world, session))
  const winners = responses.filter(({ status }) => status === 200)
  const isStrict = world.leeway === 0 && winners.length > 0
  for (const response of isStrict ? winners : responses) {
    take(world, 'parallel refresh', session, { expected, response })
  }
  const losers = responses.filter(({ status }) => status !== 200).map(({ code }) => code)
  const known = ['refresh_conflict', 'refresh_token_reused', 'session_revoked']
  if (isStrict)
    compare(
      world,
      'losers',
      losers.find((code) => !known.includes(code ?? '')),
      undefined,
    )
  if (isStrict && losers.includes('refresh_token_reused')) session.isEnded = true
}

// Which process refreshed the session cannot be predicted.
async function readRotatedAt({ cluster }: World, { id }: Session): Promise<number> {
  const filter = { _id: new Types.ObjectId(id) }
  const session = await cluster.connection.collection('sessions').findOne(filter)
  return session?.['rotatedAt']?.getTime() ?? 0
}

// The client does not read the first response; the retry reaches any process.
async function loseAndRetry(world: World): Promise<void> {
  const session = pick(world)
  if (!session || world.leeway === 0) return
  const token = session.tokens[session.gen] ?? ''
  const process = toProcess(world)
  await refresh(world, token, process)
  const { gen } = session
  const revoked = rotate(session, world.clocks[process])
  const next = toProcess(world)
  const expected = session.isEnded ? revoked : judge(world, session, gen, world.clocks[next])
  const response = await refresh(world, token, next)
  take(world, 'retry', session, { expected, response })
}

async function replay(world: World): Promise<void> {
  const session = pick(world)
  if (!session || session.gen === 0) return
  const gen = session.gen - 1 - world.random(Math.min(2, session.gen))
  const process = toProcess(world)
  const expected = judge(world, session, gen, world.clocks[process])
  const response = await refresh(world, session.tokens[gen] ?? '', process)
  take(world, `replay of generation ${gen} of ${session.gen}`, session, { expected, response })
}

async function useAccessToken(world: World): Promise<void> {
  const session = pick(world)
  if (!session) return
  const call = { method: 'GET', token: session.accessToken, process: toProcess(world) }
  const { status, code } = await world.cluster.call(`${base}/me`, call)
  compare(world, 'me', code ?? String(status), session.isEnded ? 'session_revoked' : '200')
}

async function logout(world: World): Promise<void> {
  const session = pick(world)
  if (!session) return
  const { gen, tokens } = session
  const body = { refreshToken: tokens[world.random(gen + 1)] }
  const { status } = await world.cluster.call(`${base}/logout`, { body, process: toProcess(world) })
  compare(world, 'logout', status, 204)
  session.isEnded = true
}

async function changePassword(world: World): Promise<void> {
  const session = pick(world)
  if (!session || session.isEnded || world.random(3) > 0) return
  const next = 1 - world.password
  const body = { currentPassword: passwords[world.password], newPassword: passwords[next] }
  const process = toProcess(world)
  const call = { body, token: session.accessToken, process }
  const { status, data } = await world.cluster.call(`${base}/change-password`, call)
  compare(world, 'change of password', status, 200)
  session.gen++
  session.renewedGen = session.gen
  session.rotatedAt = world.clocks[process]
  session.tokens[session.gen] = data.refreshToken
  session.accessToken = data.accessToken
  world.password = next
  for (const other of world.sessions) if (other !== session) other.isEnded = true
}

// Never near the end of the leeway: the time that requests take must not matter.
async function passTime(world: World): Promise<void> {
  const seconds = [1, 4, 7, 14, 60][world.random(5)] ?? 0
  await setClocks(world, [world.clocks[0] + seconds * second, world.clocks[1] + seconds * second])
}

async function setClocks(world: World, clocks: readonly [number, number]): Promise<void> {
  for (const process of [0, 1] as const) {
    world.clocks[process] = clocks[process]
    await world.cluster.setClock(process, clocks[process])
  }
}

const moves: Move[] = [
  login,
  refreshCurrent,
  refreshCurrent,
  refreshInParallel,
  loseAndRetry,
  replay,
  replay,
  useAccessToken,
  logout,
  changePassword,
  passTime,
  passTime,
]

describe.each([
  ['the default leeway', 10 * second, {}],
  ['no leeway', 0, { refreshLeeway: 0 }],
])('random sequences at two processes with %s', (_, leeway, auth) => {
  let cluster: Cluster

  beforeAll(async () => {
    cluster = await startCluster({ processes: 2, hashed: false, auth })
  })
  afterAll(() => cluster.stop())

  it('REF-02 REF-05 behave as the model', { timeout: 900_000 }, async () => {
    const differences: string[] = []
    for (let sequence = 0; sequence < sequences; sequence++) {
      const world = await createWorld(sequence, { cluster, leeway, differences })
      for (let step = 0; step < steps; step++) {
        const move = moves[world.random(moves.length)] ?? login
        const before = differences.length
        await move(world)
        for (let index = before; index < differences.length; index++) {
          differences[index] = `sequence ${sequence}, step ${step}: ${differences[index]}`
        }
        // The model no longer knows the state.
        if (differences.length > before) break
      }
    }
    expect(differences).toEqual([])
  })
})

async function createWorld(
  sequence: number,
  shared: Pick<World, 'cluster' | 'leeway' | 'differences'>,
): Promise<World> {
  const random = createRandom(sequence + 1).below
  const now = Date.UTC(2100, 0, 1) + sequence * 3600 * second
  const skew = random(3) * second
  const email = `user${sequence}@example.org`
  const world: World = {
    ...shared,
    random,
    email,
    password: 0,
    clocks: [now, now],
    sessions: [],
  }
  await setClocks(world, [now, now + skew])
  const body = { email, password: passwords[0] }
  const { status } = await world.cluster.call(`${base}/register`, { body })
  expect(status).toBe(201)
  await login(world)
  return world
}
