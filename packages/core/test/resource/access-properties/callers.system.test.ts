import { afterAll, expect, it } from 'vitest'
import { type Plan } from './guarded-things.ts'
import { admit, lastSent, readAll, send, type Sender, toAllowed, toId } from './moment.ts'
import { operations } from './operations.ts'
import { evaluate } from './random-access.ts'
import { createRandom, type Random } from './random-rules.ts'
import { storeThings } from './store-things.ts'
import { createWorld, type World } from './world.ts'

// Random routes with restricted fields, called by users, API keys and members of organizations: statuses, documents,
// fields, order, cursors and ETags are those that the evaluator of the test expects. `ACCESS_RUNS=20000` sends 20,000
// random requests; `ACCESS_SEED` repeats a run.
const runs = Number(process.env['ACCESS_RUNS'] ?? 600)
const seed = Number(process.env['ACCESS_SEED'] ?? 1)
const requestsPerPlan = 12
const plansPerWorld = 25

let world: World | undefined

afterAll(() => world?.stop())

async function expectRefused(sender: Sender, expected: number): Promise<void> {
  const { random, stored } = sender
  const target = toId(random.pick(stored))
  const [method, path, body] = random.pick([
    ['GET', '?nope=1', undefined],
    ['GET', `/${target}`, undefined],
    ['POST', '', { nope: 1 }],
    ['PUT', `/${target}`, {}],
    ['PATCH', `/${target}`, {}],
    ['DELETE', `/${target}`, undefined],
  ] as const)
  const headers = { 'If-Match': random.pick(['*', '"0"']) }
  const { status } = await send(sender, method, path, { headers, ...(body && { body }) })
  expect(status).toBe(expected)
  expect(await readAll()).toEqual(stored)
}

async function runOnce(random: Random, current: World, plan: Plan): Promise<string> {
  if (random.chance(8)) await current.govern(random)
  const caller = random.pick(current.callers)
  const isNamed = current.from === 'path' || random.chance(95)
  const organization = isNamed
    ? random.pick([...current.organizations, ...current.organizations, '0'.repeat(24), 'none'])
    : undefined
  const stored = await readAll()
  if (stored.length === 0) return 'empty'
  const sender = { random, world: current, plan, caller, organization, stored }
  const admission = admit(plan, caller, current.toParty(caller, organization))
  if (admission.status !== undefined) {
    await expectRefused(sender, admission.status)
    return String(admission.status)
  }
  const { party, reach: reaches } = admission
  const reference = evaluate(plan.reference, party)
  const operation = random.pick(operations)
  await operation({
    ...sender,
    party,
    reaches,
    refers: (document) => reference !== false && reference(document),
    reads: toAllowed(plan.readable, party),
    writes: toAllowed(plan.writable, party),
  })
  return operation.name
}

it(
  'what users, API keys and members can read or change, field by field, equals what their rules say',
  async () => {
    const counts = new Map<string, number>()
    for (let run = 0; run < runs; run++) {
      const random = createRandom(seed * 1_000_003 + run)
      if (run % (requestsPerPlan * plansPerWorld) === 0) {
        await world?.stop()
        world = await createWorld(random, plansPerWorld)
      }
      const index = Math.floor(run / requestsPerPlan) % plansPerWorld
      const plan = world?.plans[index]
      if (!world || !plan) throw new Error('There is no plan.')
      if (run % requestsPerPlan === 0) await storeThings(random, world)
      try {
        const name = await runOnce(random, world, plan)
        counts.set(name, (counts.get(name) ?? 0) + 1)
      } catch (error) {
        const text = `Run ${run} of seed ${seed}, ${world.from}, ${lastSent}, ${JSON.stringify(plan)}`
        throw new Error(`${text}: ${String(error)} ${world.errors.join('')}`, { cause: error })
      }
    }
    // Each operation and each refusal has been part of it.
    const expected = [...operations.map(({ name }) => name), '401', '403', '404']
    expect(expected.filter((name) => (counts.get(name) ?? 0) < runs / 200)).toEqual([])
  },
  Math.max(60_000, runs * 60),
)
