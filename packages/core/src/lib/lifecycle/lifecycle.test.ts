import http from 'node:http'
import { describe, expect, it } from 'vitest'
import { createLifecycle, type LifecycleSettings } from './lifecycle.ts'
import { type Lifecycle } from './start-stop.ts'

function make(settings: Partial<LifecycleSettings> = {}): { lifecycle: Lifecycle; log: string[] } {
  const log: string[] = []
  const lifecycle = createLifecycle({
    host: '127.0.0.1',
    port: 0,
    listens: true,
    drainDelay: 0,
    shutdownTimeout: 300,
    createServer: () => http.createServer((_req, res) => res.end('ok')),
    connect: async () => undefined,
    parts: [],
    beforeDatabaseStops: async () => {},
    onStart: ({ url }) => log.push(`started ${url}`),
    environment: 'test',
    role: 'alone',
    workers: 1,
    secrets: ['secret'],
    database: false,
    redis: undefined,
    logger: { info() {}, warn() {}, error() {}, fatal() {} },
    onDrain: () => log.push('drain'),
    onClose: () => {},
    ...settings,
  })
  return { lifecycle, log }
}

describe('createLifecycle', () => {
  it('serves between start and stop, each of which can be called twice', async () => {
    const { lifecycle, log } = make()
    const [first, second] = await Promise.all([lifecycle.start(), lifecycle.start()])
    expect(first).toBe(second)
    expect(log).toEqual([`started ${first.url}`])
    expect(await (await fetch(first.url)).text()).toBe('ok')
    expect(lifecycle.draining).toBe(false)
    await Promise.all([lifecycle.stop(), lifecycle.stop()])
    expect(lifecycle.draining).toBe(true)
    await expect(fetch(first.url)).rejects.toThrow()
    expect(() => lifecycle.start()).toThrow('Create a new one')
  })

  it('reports a port in use with a fix, and closes the database', async () => {
    const { lifecycle } = make()
    const { url } = await lifecycle.start()
    const port = Number(new URL(url).port)
    let stopped = false
    const other = make({
      port,
      connect: async () => {
        const stop = async (): Promise<void> => {
          stopped = true
        }
        return { stop } as never
      },
    })
    await expect(other.lifecycle.start()).rejects.toThrow(
      `Port ${port} is in use. Stop the other process or choose another port: PORT=${port + 1}`,
    )
    expect(stopped).toBe(true)
    await other.lifecycle.stop()
    await lifecycle.stop()
  })

  it('reports an address that the machine does not have', async () => {
    await expect(make({ host: '192.0.2.1' }).lifecycle.start()).rejects.toThrow(
      'This machine has no address 192.0.2.1.',
    )
  })

  it('finishes work that needs the database before the database stops', async () => {
    const order: string[] = []
    const stop = async (): Promise<void> => void order.push('database')
    const { lifecycle } = make({
      connect: async () => ({ stop }) as never,
      beforeDatabaseStops: async () => void order.push('before'),
    })
    await lifecycle.start({ signals: false })
    await lifecycle.stop()
    expect(order).toEqual(['before', 'database'])
  })

  it('waits for a response in progress', async () => {
    let finish = (): void => {}
    let arrive = (): void => {}
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const { lifecycle } = make({
      shutdownTimeout: 10_000,
      createServer: () =>
        http.createServer((_req, res) => {
          finish = () => res.end('late')
          arrive()
        }),
    })
    const { url } = await lifecycle.start()
    const text = fetch(url).then((response) => response.text())
    await arrived
    const stopped = lifecycle.stop()
    finish()
    expect(await text).toBe('late')
    await stopped
  })

  it('AVL-04 aborts hanging requests at the deadline', async () => {
    const { lifecycle } = make({ createServer: () => http.createServer(() => {}) })
    const { url, server } = await lifecycle.start()
    const response = fetch(url).then(
      () => 'finished',
      () => 'cut',
    )
    await new Promise((resolve) => server?.once('request', resolve))
    expect(await lifecycle.stop()).toBe('forced')
    expect(await response).toBe('cut')
  })

  it('AVL-04 does not wait for a database that does not close', async () => {
    const stop = (): Promise<void> => new Promise(() => {})
    const { lifecycle } = make({ connect: async () => ({ stop }) as never })
    await lifecycle.start()
    expect(await lifecycle.stop()).toBe('forced')
  })

  it('closes the database when the server cannot be created', async () => {
    let stopped = 0
    const stop = async (): Promise<void> => void stopped++
    const { lifecycle } = make({
      connect: async () => ({ stop }) as never,
      createServer: () => {
        throw new Error('no server')
      },
    })
    await expect(lifecycle.start()).rejects.toThrow('no server')
    expect(stopped).toBe(1)
    expect(await lifecycle.stop()).toBe('finished')
  })

  it('adds signal handlers only when enabled, and removes them', async () => {
    const before = process.listenerCount('SIGTERM')
    const quiet = make().lifecycle
    await quiet.start({ signals: false })
    expect(process.listenerCount('SIGTERM')).toBe(before)
    const { lifecycle } = make()
    await lifecycle.start()
    expect(process.listenerCount('SIGTERM')).toBe(before + 1)
    await Promise.all([quiet.stop(), lifecycle.stop()])
    expect(process.listenerCount('SIGTERM')).toBe(before)
  })
})
