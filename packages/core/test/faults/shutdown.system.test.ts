import { afterAll, describe, expect, it } from 'vitest'
import { call, callAndKeep, keepCalling } from './client.ts'
import { killServices, startService } from './service-process.ts'

afterAll(killServices)

describe('a service that receives a stop signal', () => {
  it('AVL-03 F-07 loses nothing under load: not ready first, then every response closes its connection', async () => {
    const service = await startService({ DRAIN_DELAY: '500ms' })
    const clients = Array.from({ length: 20 }, () => keepCalling(`${service.url}/api/notes`))
    const slow = callAndKeep(`${service.url}/api/trouble/wait/1000`)
    await call(`${service.url}/api/notes`)
    service.child.kill('SIGTERM')
    await expect.poll(async () => (await call(`${service.url}/health/ready`)).status).toBe(503)
    expect((await call(`${service.url}/health/live`)).status).toBe(200)
    const seen = await Promise.all(clients)
    expect(seen.map(({ failure }) => failure)).toEqual(Array(20).fill(undefined))
    const responses = seen.flatMap(({ responses: own }) => own)
    expect(responses.filter(({ status }) => status !== 200)).toEqual([])
    expect(responses.filter(({ closes }) => closes)).toHaveLength(20)
    // It was in flight when the signal came, and closes all the same.
    expect(await slow).toMatchObject({ status: 200, closes: true })
    expect(await service.exit).toBe(0)
    expect(service.log.slice(-2).map(({ msg }) => msg)).toEqual(['stopping', 'stopped'])
  })

  it('AVL-04 cuts a request that hangs at the deadline, and exits with 1', async () => {
    const service = await startService({ SHUTDOWN_TIMEOUT: '500ms' })
    const hanging = call(`${service.url}/api/trouble/wait/60000`).catch(() => 'cut')
    await call(`${service.url}/api/notes`)
    service.child.kill('SIGTERM')
    expect(await hanging).toBe('cut')
    expect(await service.exit).toBe(1)
    expect(service.log.at(-1)?.msg).toBe(
      'stopped after the shutdown timeout; open connections were closed',
    )
  })

  it('AVL-04 exits at once at the second signal', async () => {
    const service = await startService({ SHUTDOWN_TIMEOUT: '10m' })
    const hanging = call(`${service.url}/api/trouble/wait/60000`).catch(() => 'cut')
    await call(`${service.url}/api/notes`)
    service.child.kill('SIGTERM')
    await expect.poll(() => call(service.url).catch(String)).toContain('ECONNREFUSED')
    service.child.kill('SIGINT')
    expect(await service.exit).toBe(1)
    expect(await hanging).toBe('cut')
  })
})

describe('an uncaught error', () => {
  it('ERR-07 is logged once; requests in flight finish, then the process exits with 1', async () => {
    const service = await startService()
    const slow = callAndKeep(`${service.url}/api/trouble/wait/500`)
    await call(`${service.url}/api/trouble/crash`, { method: 'POST' })
    await call(`${service.url}/api/trouble/crash`, { method: 'POST' }).catch(() => {})
    expect(await slow).toMatchObject({ status: 200, closes: true })
    expect(await service.exit).toBe(1)
    const fatal = service.log.filter(({ level }) => level === 'fatal')
    expect(fatal).toHaveLength(1)
    expect(fatal[0]).toMatchObject({
      msg: 'uncaught error, shutting down',
      err: { message: 'detached' },
    })
  })
})
