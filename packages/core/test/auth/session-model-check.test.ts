import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUser, login } from '../../src/lib/auth/accounts/account-service.ts'
import { type AuthContext, createAuthContext } from '../../src/lib/auth/service/auth-context.ts'
import { createAuthSchemas, toSchemaOptions } from '../../src/lib/auth/input/auth-schemas.ts'
import { readAuthOptions, resolveAuth } from '../../src/lib/auth/options/auth-settings.ts'
import { type RequestFacts } from '../../src/lib/auth/events/request-facts.ts'
import { logout, refresh } from '../../src/lib/auth/sessions/session-service.ts'
import { ApiError } from '../../src/lib/errors/api-error.ts'
import {
  silent,
  startTestDatabase,
  storedAsTyped,
  type TestDatabase,
  testSecret,
} from './auth-fixture.ts'
import { createRandom } from '../random.ts'
import { createSessionOracle, type SessionOracle } from './session-oracle.ts'

// The long form, for nightly runs: MODEL_SEEDS=50 MODEL_OPERATIONS=5000.
const seeds = Number(process.env['MODEL_SEEDS'] ?? 3)
const operations = Number(process.env['MODEL_OPERATIONS'] ?? 500)

const userCount = 4
const password = 'TestRiver42!'
const second = 1000
const settings = { idle: 120 * second, absolute: 600 * second, perUser: 3 }

const everyResult = [
  'ok',
  'refreshed',
  'invalid_credentials',
  'invalid_token',
  'session_revoked',
  'refresh_token_expired',
  'refresh_token_reused',
  'refresh_conflict',
]

const seen = new Set<Result>()

let database: TestDatabase
beforeAll(async () => {
  database = await startTestDatabase()
})
afterAll(() => database.stop())

describe('refresh compared with a model of the state machine', () => {
  it.each(Array.from({ length: seeds }, (_, seed) => seed + 1))(
    'F-03d REF-02 REF-05 REF-08 behaves as the model predicts, seed %d',
    { timeout: 600_000 },
    async (seed) => {
      await database.clear()
      const world = await createWorld(seed)
      const walk = createWalk(world)
      const differences = []
      for (let step = 0; step < operations; step++) {
        const difference = await walk(step)
        if (difference !== undefined) differences.push(difference)
      }
      expect(differences).toEqual([])
    },
  )

  it('F-03d has produced every kind of result', () => {
    expect(everyResult.filter((result) => !seen.has(result))).toEqual([])
  })
})

interface Held {
  session: number
  gen: number
  text: string
}

interface World {
  random: (below: number) => number
  context: AuthContext
  oracle: SessionOracle
  clock: { now: number }
  userIds: string[]
  held: Held[]
}

function createWalk(world: World): (step: number) => Promise<string | undefined> {
  const moves = [
    signIn,
    refreshCurrent,
    refreshCurrent,
    refreshPrevious,
    refreshOld,
    refreshForged,
    end,
    disable,
  ]
  return async (step) => {
    const { random, clock } = world
    // Mostly moments, now and then long enough for a session to end.
    clock.now += random(20) === 0 ? random(200 * second) : random(4) * random(4 * second)
    const move = moves[random(moves.length)] ?? signIn
    const [predicted, actual] = await move(world)
    seen.add(typeof actual === 'number' ? 'refreshed' : actual)
    if (predicted === actual) return undefined
    return `step ${step}: ${move.name} returned ${actual}, not ${predicted}`
  }
}

async function createWorld(seed: number): Promise<World> {
  const random = createRandom(seed).below
  const clock = { now: Date.UTC(2100, 0, 1) }
  const leeway = seed % 2 === 0 ? 10 : 0
  const values = readAuthOptions({
    secrets: [testSecret],
    connection: database.connection,
    logger: silent,
    limits: false,
    refreshIdleLifetime: settings.idle / second,
    refreshAbsoluteLifetime: settings.absolute / second,
    refreshLeeway: leeway,
    sessionsPerUser: settings.perUser,
    now: () => clock.now,
    password: { hasher: storedAsTyped },
  })
  const schemas = createAuthSchemas(toSchemaOptions(values))
  const context = createAuthContext(resolveAuth(values), schemas)
  for (const model of Object.values(database.connection.models)) await model.init()
  const userIds = []
  for (let user = 0; user < userCount; user++) {
    const input = { email: `user${user}@x.io`, password }
    userIds.push((await createUser(context, input, toFacts(clock.now))).id)
  }
  const oracle = createSessionOracle({ ...settings, leeway: leeway * second })
  return { random, context, oracle, clock, userIds, held: [] }
}

type Result = string | number | boolean | undefined
type Outcome = [predicted: Result, actual: Result]

async function signIn({ random, context, oracle, clock, held }: World): Promise<Outcome> {
  const user = random(userCount)
  const predicted = oracle.login(user, clock.now)
  const input = { email: `user${user}@x.io`, password }
  const actual = await attempt(() => login(context, input, toFacts(clock.now)))
  if (typeof actual === 'object' && typeof predicted === 'number') {
    held.push({ session: predicted, gen: 0, text: actual.refreshToken })
    return ['ok', 'ok']
  }
  return [predicted, typeof actual === 'object' ? 'ok' : actual]
}

async function refreshCurrent(world: World): Promise<Outcome> {
  const { random, oracle, held } = world
  const newest = held.filter(({ session, gen }) => gen === oracle.generationOf(session))
  return present(world, newest[random(newest.length)])
}

async function refreshPrevious(world: World): Promise<Outcome> {
  const { random, oracle, held } = world
  const previous = held.filter(({ session, gen }) => gen === oracle.generationOf(session) - 1)
  return present(world, previous[random(previous.length)])
}

async function refreshOld(world: World): Promise<Outcome> {
  return present(world, world.held[world.random(world.held.length)])
}

async function present(world: World, token: Held | undefined): Promise<Outcome> {
  const { random, context, oracle, clock, held } = world
  if (!token) return ['ok', 'ok']
  const arrivedAt = clock.now - random(2) * random(8 * second)
  const predicted = oracle.refresh(token, { now: clock.now, arrivedAt })
  const actual = await attempt(() => refresh(context, token.text, toFacts(arrivedAt)))
  if (typeof actual === 'string') return [predicted, actual]
  const gen = Number(actual.refreshToken.split('.')[2])
  const known = held.find((other) => other.session === token.session && other.gen === gen)
  if (!known) held.push({ session: token.session, gen, text: actual.refreshToken })
  // The same generation has the same token: there are never two branches.
  return [predicted, known && known.text !== actual.refreshToken ? 'another branch' : gen]
}

async function refreshForged({ random, context, clock, held }: World): Promise<Outcome> {
  const token = held[random(held.length)]
  if (!token) return ['ok', 'ok']
  const last = token.text.at(-2) === 'A' ? 'B' : 'A'
  const forged = token.text.slice(0, -2) + last + token.text.slice(-1)
  const actual = await attempt(() => refresh(context, forged, toFacts(clock.now)))
  return ['invalid_token', typeof actual === 'object' ? 'ok' : actual]
}

async function end({ random, context, oracle, clock, held }: World): Promise<Outcome> {
  const token = held[random(held.length)]
  if (!token || random(3) > 0) return ['ok', 'ok']
  oracle.logout(token, clock.now)
  return ['ok', (await attempt(() => logout(context, token.text, toFacts(clock.now)))) ?? 'ok']
}

async function disable({ random, context, oracle, userIds }: World): Promise<Outcome> {
  const user = random(userCount)
  const isDisabled = random(4) === 0
  oracle.setDisabled(user, isDisabled)
  return [true, await context.users.update(userIds[user] ?? '', { disabled: isDisabled })]
}

async function attempt<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
}

function toFacts(arrivedAt: number): RequestFacts {
  return { requestId: undefined, address: '192.0.2.1', device: undefined, arrivedAt }
}
