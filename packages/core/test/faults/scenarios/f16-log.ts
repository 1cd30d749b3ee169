import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../client.ts'
import { createHistory, type History } from '../history.ts'
import { startProbe } from '../probe.ts'
import { atMost, exactly, p99, type Scenario, within } from '../scenario.ts'
import { type ServiceProcess, startService } from '../service-process.ts'

// The log keeps 8 million characters for a reader that has stopped: a minute of these is more.
const agentName = 'x'.repeat(900)

/** Standard output is a pipe that no one reads: for a while, then while the service is stopped. */
export const unreadLog: Scenario = {
  id: 'F-16',
  title: 'log that no one reads',
  async run(length) {
    const service = await startService({ ACCESS_LOG: 'json', LOG_LEVEL: 'info' })
    const history = createHistory()
    const before = await rssOf(service)
    service.child.stdout?.pause()
    const probe = await startProbe(`${service.url}/health/live`)
    await load(service, history, length === 'long' ? 60 : 3)
    const health = await probe.stop()
    const gained = (await rssOf(service)) - before
    const sent = history.operations.length + health.times.length
    service.child.stdout?.resume()
    const reported = await countLines(service, sent)

    service.child.stdout?.pause()
    await load(service, history, 1)
    const stopped = performance.now()
    service.child.kill('SIGTERM')
    const [code] = await once(service.child, 'exit')
    const endedAfter = performance.now() - stopped
    service.child.stdout?.resume()
    const others = history.operations.filter(({ response }) => response?.status !== 404)
    return [
      exactly(`responses other than due, of ${history.operations.length}`, others.length, 0),
      exactly(`health that failed, of ${health.times.length}`, health.failed, 0),
      within('health, p99', p99(health.times), 1000),
      atMost('memory gained', gained / 1e6, [64, 'MB']),
      exactly(`lines neither there nor counted, of ${sent}`, Math.max(0, sent - reported), 0),
      exactly('exit code', code, 0),
      within('ended after', endedAfter, 5000),
    ]
  },
}

async function load(service: ServiceProcess, history: History, seconds: number): Promise<void> {
  const signal = AbortSignal.timeout(seconds * 1000)
  await history.atRate(300, signal, () => history.note('ask', () => ask(service)))
}

function ask({ url }: ServiceProcess): ReturnType<typeof call> {
  return call(`${url}/api/nothing`, { headers: { 'User-Agent': agentName } })
}

// How many lines came or were counted as dropped, once all are reported or 60 s have gone by.
async function countLines({ log }: ServiceProcess, sent: number): Promise<number> {
  const end = performance.now() + 60_000
  for (;;) {
    const kept = log.filter(({ msg }) => msg === 'request').length
    const dropped = log
      .filter(({ msg }) => msg === 'log lines dropped')
      .reduce((sum, { count }) => sum + Number(count), 0)
    if (kept + dropped >= sent || performance.now() > end) return kept + dropped
    await sleep(50)
  }
}

async function rssOf({ url }: ServiceProcess): Promise<number> {
  const { data } = await call(`${url}/api/trouble/pid`)
  return Number(data?.['rss'])
}
