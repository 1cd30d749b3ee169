// Mixed load for a long time: npm run source -- packages/core/test/faults/soak.ts [--minutes 20] [--share 0.6]
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { call } from './client.ts'
import { keepRecord } from './record.ts'
import { atMost, exactly, p99, within } from './scenario.ts'
import { startHurtDatabase } from './database.ts'
import { askLoopDelay, startService } from './service-process.ts'
import { createTraffic } from './traffic.ts'

interface Sample {
  readonly minute: number
  readonly rss: number
  readonly handles: number
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    /** Share of what it can do at most. */
    share: { type: 'string', default: '0.6' },
  },
})
const minutes = Number(values.minutes)
const share = Number(values.share)
const warmUp = minutes / 3
const database = await startHurtDatabase()
// The limits count too: what they keep of each client is memory. Their windows are short enough for
// all of it to be there when the warm-up ends.
const service = await startService({
  MONGODB_URI: database.uri,
  TRUST_PROXY: '1',
  RATE_LIMIT: '300',
  AUTH_RATE_LIMIT: '10',
  AUTH_RATE_LIMIT_WINDOW: '1m',
  AUTH_WINDOW: '60',
  // Few enough to be there from the beginning, so that what is gained later is a leak.
  MONGODB_POOL_SIZE: '10',
})
const traffic = await createTraffic(service.url, 100_003)
let broken = 0
let warmHeap: number | undefined
const waiting = new Set<Promise<void>>()
const times: number[] = []

const capacity = await measureCapacity()
const rate = capacity * share
tell(
  `capacity ${Math.round(capacity)}/s, load ${Math.round(rate)}/s for ${minutes} min, Node ${process.versions.node}`,
)
await askLoopDelay(service)
const samples = await soak()
const loopDelay = await askLoopDelay(service)
const heapGained = (await askHeap()) - (warmHeap ?? Number.NaN)
service.child.kill('SIGTERM')
const code = await service.exit
await database.stop()

const warm = samples.filter(({ minute }) => minute >= warmUp)
const figures = [
  atMost(`memory slope over the last ${Math.round((minutes * 2) / 3)} min`, slopeOf(warm), [
    1,
    'MB/min',
  ]),
  atMost('handles gained', (warm.at(-1)?.handles ?? 0) - (warm[0]?.handles ?? 0), [5, '']),
  atMost('heap gained, without garbage', heapGained, [5, 'MB']),
  exactly(`responses other than due, of ${traffic.sent}`, traffic.unexpected, {}),
  exactly('connections that broke', broken, 0),
  within('p99', p99(times), 250),
  within('p99 of the event loop', loopDelay, 50),
  exactly('exit code', code, 0),
]
for (const { what, found, criterion, passed } of figures) {
  tell(`  ${passed ? 'ok  ' : 'FAIL'} ${what}: ${found} (${criterion})`)
}
if (minutes >= 20) {
  keepRecord('soak', {
    command: 'npm run source -- packages/core/test/faults/soak.ts',
    conditions: `${Math.round(rate)} requests a second for ${minutes} minutes, ${share} of what it could do`,
    figures: new Map([['Reads, writes, faults of clients, and users (F-10, AVL-09)', figures]]),
  })
}
process.exit(figures.every(({ passed }) => passed) ? 0 : 1)

function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function measureCapacity(): Promise<number> {
  const end = performance.now() + 5000
  const before = traffic.sent
  const strands = Array.from({ length: 32 }, async () => {
    while (performance.now() < end) await traffic.next()
  })
  await Promise.all(strands)
  return (traffic.sent - before) / 5
}

async function soak(): Promise<Sample[]> {
  const found: Sample[] = []
  const start = performance.now()
  let done = 0
  let nextSample = 0
  while (performance.now() - start < minutes * 60_000) {
    const elapsed = (performance.now() - start) / 1000
    for (; done < elapsed * rate; done++) send()
    if (elapsed >= nextSample) {
      if (elapsed >= warmUp * 60) warmHeap ??= await askHeap()
      nextSample += 10
      const { data } = await call(`${service.url}/api/trouble/pid`)
      const rss = Number(data?.['rss']) / 1e6
      // Clients come and go.
      const handles = Number(data?.['handles']) - Number(data?.['connections'])
      found.push({ minute: elapsed / 60, rss, handles })
      if (found.length % 6 === 1) tell(`minute ${Math.round(elapsed / 60)}: ${Math.round(rss)} MB`)
    }
    await sleep(10)
  }
  await Promise.all(waiting)
  return found
}

async function askHeap(): Promise<number> {
  const { data } = await call(`${service.url}/api/trouble/heap`)
  return Number(data?.['heap']) / 1e6
}

function send(): void {
  const sent = traffic.next().then(
    ({ took }) => note(took),
    () => void broken++,
  )
  waiting.add(sent)
  void sent.finally(() => waiting.delete(sent))
}

// A sample is enough, and does not grow.
function note(took: number): void {
  if (times.length < 10_000) times.push(took)
  else times[Math.floor(Math.random() * times.length)] = took
}

// Theil and Sen: the median of the slopes between any two, in megabytes a minute. Memory that comes
// and goes, as when the machine has no time to collect garbage, does not move it; a leak does.
function slopeOf(found: readonly Sample[]): number {
  const slopes = found
    .flatMap((one, index) =>
      found.slice(index + 1).map((other) => (other.rss - one.rss) / (other.minute - one.minute)),
    )
    .toSorted((a, b) => a - b)
  return slopes[Math.floor(slopes.length / 2)] ?? 0
}
