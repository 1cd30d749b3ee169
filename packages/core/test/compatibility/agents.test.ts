import { channel } from 'node:diagnostics_channel'
import http from 'node:http'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { askAll, createService, requestCount } from './service.ts'

// Monitoring agents patch Node in different ways; none of them may change a response, and none may be
// bypassed. OpenTelemetry: ../observability/tracing.system.test.ts.

type Method = (this: unknown, ...args: unknown[]) => unknown

const undo: (() => void)[] = []

function wrap(target: object, name: string, toWrapper: (original: Method) => Method): void {
  const original: unknown = Reflect.get(target, name)
  if (typeof original !== 'function') throw new Error(`There is no ${name}.`)
  const own = Object.getOwnPropertyDescriptor(target, name)
  Reflect.set(
    target,
    name,
    toWrapper(function callOriginal(...args) {
      return Reflect.apply(original, this, args)
    }),
  )
  undo.push(() => {
    if (own) Object.defineProperty(target, name, own)
    else Reflect.deleteProperty(target, name)
  })
}

function count(calls: Map<string, number>, name: string): (original: Method) => Method {
  return (original) =>
    function counted(...args) {
      calls.set(name, (calls.get(name) ?? 0) + 1)
      return original.apply(this, args)
    }
}

function onRequest(listener: (req: object, res: object) => void): void {
  wrap(
    http.Server.prototype,
    'emit',
    (emit) =>
      function emitWatched(...args) {
        const [event, req, res] = args
        if (event === 'request' && isObject(req) && isObject(res)) listener(req, res)
        return emit.apply(this, args)
      },
  )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

describe('an agent', () => {
  let plain: string[]

  beforeAll(async () => {
    plain = await askAll(createService())
  })

  afterEach(() => {
    for (const back of undo.splice(0).toReversed()) back()
  })

  it('is compared with responses of every kind', () => {
    const statuses = plain.map((response) => response.slice(9, 12)).join(' ')
    expect(statuses).toBe('200 200 304 200 500 404 201 422 400 405 204 404 200 200 200')
  })

  it('can wrap the methods of the prototype of all responses', async () => {
    const calls = new Map<string, number>()
    wrap(http.ServerResponse.prototype, 'writeHead', count(calls, 'writeHead'))
    wrap(http.OutgoingMessage.prototype, 'end', count(calls, 'end'))
    wrap(http.OutgoingMessage.prototype, 'write', count(calls, 'write'))
    expect(await askAll(createService())).toEqual(plain)
    expect(calls.get('end')).toBe(requestCount)
    expect(calls.get('write')).toBe(1)
    expect(calls.get('writeHead')).toBeGreaterThan(0)
  })

  it('can wrap the methods of each response as it comes', async () => {
    const calls = new Map<string, number>()
    onRequest((_req, res) => {
      for (const name of ['writeHead', 'write', 'end', 'setHeader']) {
        wrap(res, name, count(calls, name))
      }
    })
    expect(await askAll(createService())).toEqual(plain)
    expect(calls.get('end')).toBe(requestCount)
    expect(calls.get('write')).toBe(1)
    expect(calls.get('writeHead')).toBe(requestCount)
    expect(calls.get('setHeader')).toBeGreaterThan(requestCount)
  })

  it('can listen to the events of each response', async () => {
    const events: string[] = []
    onRequest((_req, res) => {
      if (!(res instanceof http.ServerResponse)) return
      for (const name of ['prefinish', 'finish', 'close']) res.on(name, () => events.push(name))
    })
    expect(await askAll(createService())).toEqual(plain)
    await expect.poll(() => events.length).toBe(requestCount * 3)
  })

  it('can subscribe to the channels of Node', async () => {
    let started = 0
    let finished = 0
    const onStart = (): void => void started++
    const onFinish = (): void => void finished++
    const [start, finish] = ['http.server.request.start', 'http.server.response.finish'].map(
      (name) => channel(name),
    )
    start?.subscribe(onStart)
    finish?.subscribe(onFinish)
    undo.push(() => {
      start?.unsubscribe(onStart)
      finish?.unsubscribe(onFinish)
    })
    expect(await askAll(createService())).toEqual(plain)
    await expect.poll(() => [started, finished]).toEqual([requestCount, requestCount])
  })
})
