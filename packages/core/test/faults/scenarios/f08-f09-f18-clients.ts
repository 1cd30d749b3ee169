import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../client.ts'
import { countStatuses, createHistory } from '../history.ts'
import { startProbe } from '../probe.ts'
import { atMost, exactly, p99, type Scenario, within } from '../scenario.ts'
import { askLoopDelay, type ServiceProcess, startService } from '../service-process.ts'
import { stormLogins } from '../storm.ts'

const head = 'POST /api/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

/** Clients that drip, and clients that say nothing. */
export const slowClients: Scenario = {
  id: 'F-08',
  title: 'slow clients',
  async run(length) {
    const count = length === 'long' ? 1000 : 200
    // Half-hour patience is for the night: the bounds are the same, the times shorter.
    const [headers, whole] = length === 'long' ? [10, 30] : [2, 4]
    const service = await startService({
      HEADERS_TIMEOUT: `${headers}s`,
      REQUEST_TIMEOUT: `${whole}s`,
    })
    const base = await connectionsOf(service)
    const probe = await startProbe(`${service.url}/health/live`)
    const drips = [
      open(service, count, 'POST / HTTP/1.1\r\nX-A: '),
      open(service, count, `${head}Content-Length: 1000\r\n\r\n{`),
      open(service, count, ''),
    ]
    const [cutHeaders = 0, cutBodies = 0, cutSilent = 0] = await Promise.all(drips)
    const { times, failed } = await probe.stop()
    await sleep(1500)
    const left = (await connectionsOf(service)) - base
    service.child.kill('SIGTERM')
    await service.exit
    return [
      within('slow headers cut after', cutHeaders, (headers + 2) * 1000),
      within('slow bodies cut after', cutBodies, (whole + 2) * 1000),
      within('silent ones cut after', cutSilent, (headers + 2) * 1000),
      exactly('connections left', left, 0),
      exactly(`real clients that failed, of ${times.length}`, failed, 0),
      within('health, p99', p99(times), 250),
    ]
  },
}

// Opens connections that drip a byte each half second, and says how long the last one lived. Not all
// at once: whom the queue of the kernel has no place for is dropped without notice.
async function open({ url }: ServiceProcess, count: number, start: string): Promise<number> {
  const port = Number(new URL(url).port)
  const lives: Promise<number>[] = []
  while (lives.length < count) {
    for (let index = 0; index < 20; index++) lives.push(drip(connect(port, '127.0.0.1'), start))
    await sleep(50)
  }
  return Math.max(...(await Promise.all(lives)))
}

async function drip(socket: Socket, start: string): Promise<number> {
  const begun = performance.now()
  socket.on('error', () => {}).resume()
  if (start !== '') socket.write(start)
  const timer = setInterval(() => start !== '' && socket.writable && socket.write('x'), 500)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(timer)
  return performance.now() - begun
}

async function connectionsOf({ url }: ServiceProcess): Promise<number> {
  const { data } = await call(`${url}/api/trouble/pid`)
  return Number(data?.['connections'])
}

/** Connections and logins, more than can be served. */
export const storm: Scenario = {
  id: 'F-09',
  title: 'connection and login storm',
  async run(length) {
    const [connects, seconds] = length === 'long' ? [10_000, 30] : [1000, 4]
    const service = await startService({ MAX_CONCURRENT_REQUESTS: '1000' })
    const rss = async (): Promise<number> =>
      Number((await call(`${service.url}/api/trouble/pid`)).data?.['rss'])
    const before = await rss()
    const port = Number(new URL(service.url).port)
    const sockets = Array.from({ length: connects }, () =>
      connect(port, '127.0.0.1').on('error', () => {}),
    )
    await Promise.all(sockets.map((socket) => once(socket, 'connect').catch(() => {})))
    // A service that has just started still compiles its code: measured is one that has served.
    await stormLogins(service.url, 500, 2)
    const probe = await startProbe(`${service.url}/health/live`)
    const logins = await stormLogins(service.url, 500, seconds)
    const health = await probe.stop()
    const gained = (await rss()) - before
    for (const socket of sockets) socket.destroy()
    const others = Object.entries(logins).filter(
      ([status]) => !['200', '401', '429', '503'].includes(status),
    )
    const count = Object.values(logins).reduce((sum, one) => sum + one, 0)
    const isAlive = service.child.exitCode === null
    service.child.kill('SIGTERM')
    await service.exit
    return [
      exactly('alive', isAlive, true),
      exactly(`responses other than 401, 429, 503, of ${count}`, others, []),
      within('health, p99', p99(health.times), 500),
      atMost('memory gained', gained / 1e6, [256, 'MB']),
    ]
  },
}

// One client, and not the one that asks how the service is.
const hostile = { 'X-Forwarded-For': '192.0.2.7' }

/** Bodies that cost as much as 100 kB of JSON can. */
export const hostileBodies: Scenario = {
  id: 'F-18',
  title: 'hostile bodies',
  async run(length) {
    const count = length === 'long' ? 2000 : 400
    const service = await startService({ RATE_LIMIT: String(count), TRUST_PROXY: '1' })
    const body = Object.fromEntries(Array.from({ length: 8000 }, (_, index) => [`k${index}`, 0]))
    const history = createHistory()
    const probe = await startProbe(`${service.url}/health/live`)
    await askLoopDelay(service)
    let sent = 0
    const strands = Array.from({ length: 200 }, async () => {
      while (sent++ < count + 50) {
        await history.note('body', () =>
          call(`${service.url}/api/notes`, { method: 'POST', body, headers: hostile }),
        )
      }
    })
    await Promise.all(strands)
    const loopDelay = await askLoopDelay(service)
    const { times } = await probe.stop()
    service.child.kill('SIGTERM')
    await service.exit
    const bodies = history.operations.filter(({ name }) => name === 'body')
    const statuses = countStatuses(bodies)
    const others = Object.keys(statuses).filter(
      (one) => !['413', '422', '429', '503'].includes(one),
    )
    return [
      exactly('responses other than 413, 422, 429, 503', others, []),
      exactly('limited at last', (statuses['429'] ?? 0) > 0, true),
      within('event loop, p99', loopDelay, 500),
      within('health, p99', p99(times), 500),
    ]
  },
}
