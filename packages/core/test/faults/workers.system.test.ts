import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Reply, call, callAndKeep } from './client.ts'
import { killServices, type ServiceProcess, startService } from './service-process.ts'

let service: ServiceProcess

// By the log of the first process: every worker that has ever served, in turn.
async function workersSoFar(count: number): Promise<number[]> {
  const workers = (): number[] =>
    service.log.filter(({ msg }) => msg === 'worker listening').map(({ worker }) => Number(worker))
  await expect.poll(workers).toHaveLength(count)
  return workers()
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

// One request after the other, each over its own connection, while something happens.
async function callDuring(url: string, work: () => Promise<unknown>): Promise<unknown[]> {
  const failures: unknown[] = []
  const done = new AbortController()
  const calling = (async () => {
    while (!done.signal.aborted) await call(url).catch((error: unknown) => failures.push(error))
  })()
  await work()
  done.abort()
  await calling
  return failures
}

afterAll(killServices)

// One pool through its life: each test takes it as the one before has left it.
describe('workers', () => {
  beforeAll(async () => {
    service = await startService({ WORKERS: '2' })
  })

  it('share one port and one database', async () => {
    const { url } = service
    const workers = await workersSoFar(2)
    await call(`${url}/api/notes`, { method: 'POST', body: { text: 'shared' } })
    const served = new Set<unknown>()
    const ask = async (): Promise<Set<unknown>> => {
      const some = Array.from({ length: 10 }, () => call(`${url}/api/trouble/pid`))
      for (const { data } of await Promise.all(some)) served.add(data?.['pid'])
      return served
    }
    await expect.poll(ask).toEqual(new Set(workers))
    const counts = Array.from({ length: 10 }, (): Promise<Reply> => call(`${url}/api/notes`))
    for (const { data } of await Promise.all(counts)) expect(data).toEqual({ count: 1 })
    // The first one speaks for all.
    expect(service.log.filter(({ msg }) => msg === 'listening')).toHaveLength(1)
  })

  it('AVL-10 F-13 are replaced when they die, and the others go on', async () => {
    const [, victim = Number.NaN] = await workersSoFar(2)
    const failures = await callDuring(`${service.url}/api/notes`, () => {
      process.kill(victim, 'SIGKILL')
      return workersSoFar(3)
    })
    // One request may have been on its way to the one that died.
    expect(failures.length).toBeLessThanOrEqual(1)
    expect(service.log.find(({ level }) => level === 'error')).toMatchObject({
      msg: 'worker exited, replacing it',
      worker: victim,
      signal: 'SIGKILL',
    })
  })

  it('AVL-03 are replaced one by one at SIGHUP, without a failed request', async () => {
    const before = await workersSoFar(3)
    const failures = await callDuring(`${service.url}/api/notes`, async () => {
      service.child.kill('SIGHUP')
      await workersSoFar(5)
      await expect.poll(() => before.filter(isAlive)).toEqual([])
    })
    expect(failures).toEqual([])
  })

  it('AVL-03 all stop with the primary process, after their last responses', async () => {
    const workers = await workersSoFar(5)
    const slow = callAndKeep(`${service.url}/api/trouble/wait/500`)
    await call(`${service.url}/api/notes`)
    service.child.kill('SIGTERM')
    expect(await slow).toMatchObject({ status: 200, closes: true })
    expect(await service.exit).toBe(0)
    expect(workers.filter(isAlive)).toEqual([])
  })

  it('end the first process when they cannot start', async () => {
    await expect(startService({ WORKERS: '2', WORKER_FAILS: '1' })).rejects.toMatchObject({
      code: 1,
    })
  })
})
