import { setTimeout as sleep } from 'node:timers/promises'
import { call, callAndKeep } from '../client.ts'
import { startHurtDatabase } from '../database.ts'
import { createHistory } from '../history.ts'
import { atMost, exactly, type Scenario, within } from '../scenario.ts'
import { type ServiceProcess, startService } from '../service-process.ts'

/** One of two workers is killed under load, with limits that both share. */
export const workerDeath: Scenario = {
  id: 'F-13',
  title: 'death of a worker',
  async run(length) {
    const isLong = length === 'long'
    const kills = isLong ? 10 : 2
    const database = await startHurtDatabase()
    const limit = 200
    const service = await startService({
      MONGODB_URI: database.uri,
      WORKERS: '2',
      RATE_LIMIT_STORE: 'mongodb',
      RATE_LIMIT: String(limit),
      RATE_LIMIT_WINDOW: '1d',
      LOG_LEVEL: 'info',
      // What is looked at is the count: on a busy machine the store may take its time.
      STORE_TIMEOUT_MS: '20000',
    })
    await serving(service, 2)
    const history = createHistory()
    const end = new AbortController()
    const load = history.atRate(50, end.signal, () =>
      history.note('health', () => call(`${service.url}/health/live`)),
    )
    let slowest = 0
    for (let round = 0; round < kills; round++) {
      const workers = await serving(service, 2 + round)
      // A worker that dies young is replaced after a pause that grows; after 10 s there is none.
      if (isLong) await sleep(10_500)
      const killed = performance.now()
      process.kill(workers.at(-1) ?? Number.NaN, 'SIGKILL')
      await serving(service, 3 + round)
      slowest = Math.max(slowest, performance.now() - killed)
    }
    end.abort()
    await load
    let [sent, counted] = [0, 0]
    const strands = Array.from({ length: 5 }, async () => {
      while (sent++ < limit + 100) {
        if ((await call(`${service.url}/api/trouble/pid`)).status === 200) counted++
      }
    })
    await Promise.all(strands)
    service.child.kill('SIGTERM')
    const code = await service.exit
    await database.stop()
    const broken = history.operations.filter(({ response }) => response === undefined)
    return [
      // The pause of a worker that dies young, and the start of a process from TypeScript, included.
      within('replaced after', slowest, 4000),
      atMost(`requests lost, of ${history.operations.length}`, broken.length, [2 * kills, '']),
      exactly('passed the shared limit', counted, limit),
      exactly('exit code', code, 0),
    ]
  },
}

async function serving(service: ServiceProcess, count: number): Promise<number[]> {
  for (;;) {
    const lines = service.log.filter(({ msg }) => msg === 'worker listening')
    if (lines.length >= count) return lines.map(({ worker }) => Number(worker))
    await sleep(20)
  }
}

/** The process is stopped, as on a suspended machine. */
export const suspension: Scenario = {
  id: 'F-14',
  title: 'process suspended',
  async run(length) {
    const ms = length === 'long' ? 60_000 : 3000
    const service = await startService({ HANDLER_TIMEOUT: '2s' })
    const post = (path: string, body: object): ReturnType<typeof call> =>
      call(`${service.url}/api/v1/auth${path}`, { method: 'POST', body })
    const registered = await post('/register', { email: 'a@example.org', password: 'TestRiver42!' })
    const inFlight = callAndKeep(`${service.url}/api/trouble/wait/500`)
    await sleep(100)
    service.child.kill('SIGSTOP')
    await sleep(ms)
    service.child.kill('SIGCONT')
    const waited = await inFlight
    const me = await call(`${service.url}/api/v1/auth/me`, {
      token: String(registered.data?.['accessToken']),
    })
    const refreshed = await post('/refresh-token', {
      refreshToken: registered.data?.['refreshToken'],
    })
    const next = await Promise.all(
      Array.from({ length: 20 }, () => call(`${service.url}/api/notes`)),
    )
    service.child.kill('SIGTERM')
    const code = await service.exit
    return [
      exactly('the request in flight', waited.status, 200),
      exactly('a token that has time left', me.status, 200),
      exactly('refresh', refreshed.status, 200),
      exactly('refused afterwards', next.filter(({ status }) => status !== 200).length, 0),
      exactly('exit code', code, 0),
    ]
  },
}
