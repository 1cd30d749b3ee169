// Mixed load for a long time: npm run soak -- [--minutes 20] [--share 0.6]
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Answer, call } from './client.ts'
import { atMost, exactly, p99, within } from './scenario.ts'
import { startHurtDatabase } from './database.ts'
import { startService } from './service-process.ts'

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
const database = await startHurtDatabase()
const service = await startService({ MONGODB_URI: database.uri, TRUST_PROXY: '1' })
const agent = new http.Agent({ keepAlive: true, maxSockets: 32 })
let sent = 0
let serverErrors = 0
let broken = 0
const waiting = new Set<Promise<void>>()
const times: number[] = []

const capacity = await measureCapacity()
const rate = capacity * Number(values.share)
process.stdout.write(
  `capacity ${Math.round(capacity)}/s, load ${Math.round(rate)}/s for ${minutes} min, Node ${process.versions.node}\n`,
)
const samples = await soak()
service.child.kill('SIGTERM')
const code = await service.exit
await database.stop()

const warm = samples.filter(({ minute }) => minute >= minutes / 3)
const figures = [
  atMost(`memory slope over the last ${Math.round((minutes * 2) / 3)} min`, slopeOf(warm), [
    1,
    'MB/min',
  ]),
  atMost('handles gained', (warm.at(-1)?.handles ?? 0) - (warm[0]?.handles ?? 0), [5, '']),
  exactly(`answers of 5xx, of ${sent}`, serverErrors, 0),
  exactly('connections that broke', broken, 0),
  within('p99', p99(times), 250),
  exactly('exit code', code, 0),
]
for (const { what, found, criterion, passed } of figures) {
  process.stdout.write(`  ${passed ? 'ok  ' : 'FAIL'} ${what}: ${found} (${criterion})\n`)
}
process.exit(figures.every(({ passed }) => passed) ? 0 : 1)

// One in ten writes; every client has an address of its own, as behind a proxy.
async function request(): Promise<Answer> {
  const number = sent++
  const url = `${service.url}/api/${number % 2 === 0 ? 'trouble/pid' : 'notes'}`
  const isWrite = number % 10 === 9
  const answer = await call(url, {
    agent,
    headers: {
      'X-Forwarded-For': `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`,
    },
    ...(isWrite ? { method: 'POST', body: { text: `note ${number % 1000}` } } : {}),
  })
  if (answer.status >= 500) serverErrors++
  return answer
}

async function measureCapacity(): Promise<number> {
  const end = performance.now() + 5000
  const before = sent
  const strands = Array.from({ length: 32 }, async () => {
    while (performance.now() < end) await request()
  })
  await Promise.all(strands)
  return (sent - before) / 5
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
      nextSample += 10
      const { data } = await call(`${service.url}/api/trouble/pid`)
      const rss = Number(data?.['rss']) / 1e6
      found.push({ minute: elapsed / 60, rss, handles: Number(data?.['handles']) })
    }
    await sleep(10)
  }
  await Promise.all(waiting)
  return found
}

function send(): void {
  const answered = request().then(
    ({ took }) => note(took),
    () => void broken++,
  )
  waiting.add(answered)
  void answered.finally(() => waiting.delete(answered))
}

// A sample is enough, and does not grow.
function note(took: number): void {
  if (times.length < 10_000) times.push(took)
  else times[Math.floor(Math.random() * times.length)] = took
}

// Least squares: megabytes gained in a minute.
function slopeOf(found: readonly Sample[]): number {
  const mean = (pick: (sample: Sample) => number): number =>
    found.reduce((sum, sample) => sum + pick(sample), 0) / found.length
  const [x, y] = [mean(({ minute }) => minute), mean(({ rss }) => rss)]
  const spread = mean(({ minute }) => (minute - x) ** 2)
  return mean(({ minute, rss }) => (minute - x) * (rss - y)) / spread
}
