import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../client.ts'
import { startHurtDatabase } from '../database.ts'
import { type DatabaseProxy } from '../database-proxy.ts'
import { createHistory, type History, type Operation } from '../history.ts'
import { startProbe } from '../probe.ts'
import { atMost, exactly, type Figure, p99, type Scenario, within } from '../scenario.ts'
import { type ServiceProcess, startService } from '../service-process.ts'

const poolSize = 20

interface Outage {
  readonly id: string
  readonly title: string
  /** Seconds for which the database is gone, short and long. */
  readonly seconds: readonly [short: number, long: number]
  /** Seconds within which every response is out. */
  readonly bound: number
  /** Seconds within which it serves again. */
  readonly recovery: number
  hurt(proxy: DatabaseProxy): void
}

/** The database is gone for a while under 100 requests a second. */
export const restart = toScenario({
  id: 'F-05',
  title: 'database gone, then back',
  seconds: [4, 20],
  bound: 2.5,
  recovery: 5,
  hurt: (proxy) => proxy.cut(),
})

/** The database swallows everything for a while. */
export const blackHole = toScenario({
  id: 'F-06',
  title: 'database silent, then back',
  seconds: [8, 30],
  bound: 6,
  recovery: 10,
  hurt: (proxy) => proxy.swallow(),
})

/** The database takes 10 s for each message. */
export const slow = toScenario({
  id: 'F-06',
  title: 'database 10 s late, then well',
  seconds: [8, 30],
  bound: 6,
  recovery: 10,
  hurt: (proxy) => proxy.pass(10_000),
})

function toScenario(outage: Outage): Scenario {
  const { id, title, seconds } = outage
  return {
    id,
    title,
    async run(length) {
      const database = await startHurtDatabase()
      const env = { MONGODB_URI: database.uri, MONGODB_POOL_SIZE: String(poolSize) }
      const service = await startService(env)
      const before = await look(service)
      const history = createHistory()
      const end = new AbortController()
      const load = startLoad(service, history, end.signal)
      await sleep(1000)
      const ready = await startProbe(`${service.url}/health/ready`)
      const other = await startProbe(`${service.url}/api/trouble/pid`)
      const hurtAt = performance.now()
      outage.hurt(database.proxy)
      await sleep(seconds[length === 'long' ? 1 : 0] * 1000)
      const [readiness, others] = await Promise.all([ready.stop(), other.stop()])
      const healedAt = performance.now()
      database.proxy.pass()
      await sleep((outage.recovery + 2) * 1000)
      end.abort()
      await load
      const after = await look(service)
      service.child.kill('SIGTERM')
      await service.exit
      await database.stop()
      return [
        ...judge(outage, history.operations, { hurtAt, healedAt }),
        within('health, p99', p99(readiness.times), 1000),
        within('other routes, p99', p99(others.times), 100),
        atMost('connections to the database', database.proxy.mostConnections, [poolSize + 2, '']),
        atMost('memory gained', (after.rss - before.rss) / 1e6, [100, 'MB']),
        exactly('same process', after.pid === before.pid, true),
      ]
    },
  }
}

async function startLoad(
  { url }: ServiceProcess,
  history: History,
  signal: AbortSignal,
): Promise<void> {
  await history.atRate(100, signal, () => history.note('notes', () => call(`${url}/api/notes`)))
}

async function look({ url }: ServiceProcess): Promise<{ pid: number; rss: number }> {
  const { data } = await call(`${url}/api/trouble/pid`)
  return { pid: Number(data?.['pid']), rss: Number(data?.['rss']) }
}

function judge(
  { bound, recovery }: Outage,
  operations: readonly Operation[],
  { hurtAt, healedAt }: { hurtAt: number; healedAt: number },
): Figure[] {
  const during = operations.filter(({ start }) => start > hurtAt && start < healedAt)
  const times = (name: string): number[] =>
    during.filter((one) => one.name === name).map(({ start, end }) => end - start)
  const notes = during.filter(({ name }) => name === 'notes')
  const refused = notes.filter(({ response }) => response?.status !== 200)
  const proper = refused.filter(
    ({ response }) => [503, 504].includes(response?.status ?? 0) && response?.retryAfter,
  )
  const isGood = ({ name, response }: Operation): boolean =>
    name === 'notes' && response?.status === 200
  const firstGood = operations.find((one) => one.start > healedAt && isGood(one))?.start ?? Infinity
  const late = operations.filter(
    ({ name, start }) => name === 'notes' && start > healedAt + recovery * 1000,
  )
  return [
    exactly(
      `responses other than 503 or 504, of ${notes.length}`,
      refused.length - proper.length,
      0,
    ),
    within('database routes, p99', p99(times('notes')), bound * 1000),
    within('served again after', firstGood - healedAt, recovery * 1000),
    exactly('errors after that', late.filter((one) => !isGood(one)).length, 0),
  ]
}
