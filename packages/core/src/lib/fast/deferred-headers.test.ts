import { once } from 'node:events'
import http from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import express, { type RequestHandler, type Response } from 'express'
import session from 'express-session'
// @ts-expect-error -- the package has no types
import onHeaders from 'on-headers'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import {
  createApp,
  defer,
  everyWay,
  handlers,
  hasWriteHeader,
  respond,
} from '../../../test/express/deferred-headers.ts'
import { createServer } from '../create-server.ts'
import { installDeferredHeaders, settleHeaders } from './deferred-headers.ts'

const constant = { 'x-first': 'one', 'x-second': 'two', 'cache-control': 'no-store' }

const patchEnd: RequestHandler = (_req, res, next) => {
  const end = res.end.bind(res)
  res.end = ((...args: Parameters<Response['end']>) => {
    if (!res.headersSent) res.setHeader('X-Patched', 'end')
    return end(...args)
  }) as Response['end']
  next()
}

const patchWriteHead: RequestHandler = (_req, res, next) => {
  const writeHead = res.writeHead.bind(res)
  res.writeHead = ((...args: Parameters<Response['writeHead']>) => {
    res.setHeader('X-Patched', String(res.getHeader('X-First')))
    return writeHead(...args)
  }) as Response['writeHead']
  next()
}

const patchSetHeader: RequestHandler = (_req, res, next) => {
  const setHeader = res.setHeader.bind(res)
  const seen: string[] = []
  res.setHeader = (name, value) => {
    seen.push(name)
    if (name !== 'X-Seen') setHeader('X-Seen', seen.join(' '))
    return setHeader(name, value)
  }
  next()
}

const listenForHeaders: RequestHandler = (_req, res, next) => {
  onHeaders(res, () => {
    res.setHeader(
      'X-Heard',
      `${String(res.getHeader('x-first'))} ${String(res.hasHeader('X-Second'))}`,
    )
  })
  next()
}

const withSession = session({ secret: 's', resave: false, saveUninitialized: true })

const behind: Record<string, RequestHandler> = {
  nothing: (_req, _res, next) => next(),
  'express-session': withSession,
  'an on-headers listener': listenForHeaders,
  'a patched end': patchEnd,
  'a patched writeHead': patchWriteHead,
  'a patched setHeader': patchSetHeader,
}

describe('deferred headers', () => {
  for (const [middleware, before] of Object.entries(behind)) {
    it.each(Object.entries(handlers))(
      `are on a response by %s behind ${middleware}`,
      async (_name, handler) => {
        const { deferred, plain } = await respond(handler, before)
        expect(plain).toMatchObject([{ first: 'one', second: 'two' }])
        expect(deferred).toEqual([...plain, ...plain, ...plain])
      },
    )
  }

  it('add no method that this version of Node lacks', () => {
    expect('writeHeader' in createApp(defer).response).toBe(hasWriteHeader)
  })

  it('let express-session set its cookie', async () => {
    const response = await request(createApp(handlers['res.json'] ?? defer, withSession)).get('/')
    expect(response.headers['set-cookie']?.[0]).toMatch(/^connect\.sid=/)
  })

  it('are seen by late header listeners', async () => {
    const response = await request(createApp(handlers['res.end'] ?? defer, listenForHeaders)).get(
      '/',
    )
    expect(response.headers['x-heard']).toBe('one true')
  })

  it('are set one by one where setHeader is patched', async () => {
    const response = await request(createApp(handlers['res.end'] ?? defer, patchSetHeader)).get('/')
    expect(response.headers['x-seen']).toBe('X-First X-Second Cache-Control')
  })

  it('can be read, replaced, removed and listed like others', async () => {
    const app = createApp((_req, res) => {
      expect(res.getHeader('x-first')).toBe('one')
      expect(res.get('X-SECOND')).toBe('two')
      expect(res.getHeader('X-Third')).toBeUndefined()
      expect(res.hasHeader('X-First')).toBe(true)
      expect(res.hasHeader('x-third')).toBe(false)
      expect(res.getHeaderNames()).toEqual(['x-first', 'x-second', 'cache-control'])
      expect(res.getHeaders()).toEqual(constant)
      expect(Reflect.get(res, 'getRawHeaderNames').call(res)).toEqual([
        'X-First',
        'X-Second',
        'Cache-Control',
      ])
      res.setHeader('cache-control', 'public')
      res.removeHeader('X-First')
      res.removeHeader('X-Third')
      res.setHeader('X-Number', 5)
      expect(res.getHeaderNames()).toEqual(['x-second', 'cache-control', 'x-number'])
      res.end('text')
    })
    const response = await request(app).get('/').expect(200)
    expect(response.headers).toMatchObject({
      'x-second': 'two',
      'cache-control': 'public',
      'x-number': '5',
    })
    expect(response.headers).not.toHaveProperty('x-first')
    expect(response.text).toBe('text')
  })

  it('can be read when the response has been sent, and no longer be changed', async () => {
    const app = createApp((_req, res) => {
      res.end('text')
      expect(res.getHeader('X-First')).toBe('one')
      expect(res.hasHeader('X-Second')).toBe(true)
      expect(res.getHeaders()).toMatchObject(constant)
      expect(() => res.setHeader('X-First', '2')).toThrow('Cannot set headers after they are sent')
      expect(() => res.removeHeader('X-First')).toThrow('Cannot remove headers after they are sent')
      expect(() => res.appendHeader('X-First', '2')).toThrow('after they are sent')
      expect(() => res.writeHead(200)).toThrow('after they are sent')
    })
    const response = await request(app).get('/').expect(200)
    expect(response.headers).toMatchObject(constant)
  })

  it('do not spoil Node’s own headers', async () => {
    const app = createApp((req, res) => {
      if (req.path === '/close') res.setHeader('Connection', 'close')
      if (req.path === '/undated') res.removeHeader('Date')
      res.end('text')
    })
    const server = createServer(app).listen(0)
    await once(server, 'listening')
    const exchange = async (text: string): Promise<string> => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      socket.write(text)
      const [response] = await once(socket, 'data')
      socket.destroy()
      return String(response)
    }
    const usual = await exchange('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(usual).toMatch(/\r\nDate: .*\r\nConnection: keep-alive\r\n/)
    expect(usual).toMatch(/\r\nContent-Length: 4\r\n/)
    expect(usual.match(/X-First/g)).toHaveLength(1)
    expect(await exchange('GET /close HTTP/1.1\r\nHost: x\r\n\r\n')).toContain('Connection: close')
    expect(await exchange('GET / HTTP/1.0\r\nHost: x\r\n\r\n')).toContain('Connection: close')
    const two = await exchange(
      'GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n',
    )
    expect(two.match(/HTTP\/1\.1 200/g)?.length).toBeGreaterThanOrEqual(1)
    const head = await exchange('HEAD / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(head).toContain('X-First: one')
    expect(head).not.toContain('text')
    server.closeAllConnections()
    server.close()
  })

  it('refuse what Node refuses, where it is set', async () => {
    const app = createApp((_req, res) => {
      expect(() => res.setHeader('Bad Name', 'x')).toThrow('must be a valid HTTP token')
      expect(() => res.setHeader('X-Bad', 'a\nb')).toThrow('Invalid character in header content')
      // @ts-expect-error -- plain JavaScript could
      expect(() => res.setHeader('X-Bad', undefined)).toThrow('Invalid value')
      res.end('text')
    })
    await request(app).get('/').expect(200, 'text')
  })

  it('become ordinary ones when the response leaves the app', async () => {
    const child = express()
    installDeferredHeaders(child.response)
    child.use(defer, (_req, res, next) => {
      settleHeaders(res)
      next()
    })
    const parent = express()
    parent.use(child, handlers['res.end'] ?? defer)
    const response = await request(parent).get('/').expect(200)
    expect(response.headers).toMatchObject(constant)
  })

  it('are on a response that had another header which is gone', async () => {
    const app = createApp(
      (_req, res) => void res.end('text'),
      (_req, res, next) => {
        res.setHeader('X-Gone', '1')
        res.removeHeader('X-Gone')
        next()
      },
    )
    await everyWay(app, async (url) => {
      const response = await fetch(url)
      expect(Object.fromEntries(response.headers)).toMatchObject(constant)
      expect(response.headers.has('x-gone')).toBe(false)
    })
  })

  it('are still there when the status is one that Node refuses', async () => {
    const app = createApp((_req, res) => {
      expect(() => res.writeHead(0)).toThrow('Invalid status code')
      expect(res.getHeader('X-First')).toBe('one')
      res.writeHead(200).end('text')
    })
    const response = await request(app).get('/').expect(200, 'text')
    expect(response.headers).toMatchObject(constant)
  })

  it('are set at once on responses of other apps', async () => {
    const app = express()
    app.use(defer, (_req, res) => {
      expect(http.ServerResponse.prototype.getHeader.call(res, 'X-First')).toBe('one')
      res.end('text')
    })
    await request(app).get('/').expect(200, 'text')
  })
})
