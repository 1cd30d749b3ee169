import { once } from 'node:events'
import http from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import compression from 'compression'
import express, { type Express, type RequestHandler, type Response } from 'express'
import session from 'express-session'
// @ts-expect-error -- the package has no types
import onHeaders from 'on-headers'
import request from 'supertest'
import { afterAll, describe, expect, it } from 'vitest'
import { createServer } from '../create-server.ts'
import { deferHeaders, installDeferredHeaders, settleHeaders } from './deferred-headers.ts'

const pairs = ['X-First', 'one', 'X-Second', 'two', 'Cache-Control', 'no-store']
const constant = { 'x-first': 'one', 'x-second': 'two', 'cache-control': 'no-store' }

const defer: RequestHandler = (_req, res, next) => {
  deferHeaders(res, pairs)
  next()
}

function createApp(handler: RequestHandler, ...before: RequestHandler[]): Express {
  const app = express()
  app.disable('x-powered-by')
  installDeferredHeaders(app.response)
  app.use(...before, defer, handler)
  return app
}

const folder = mkdtempSync(path.join(tmpdir(), 'deferred-headers-'))
writeFileSync(path.join(folder, 'file.txt'), 'file')
afterAll(() => rmSync(folder, { recursive: true }))

// Every way to respond that Express and Node have.
const handlers: Record<string, RequestHandler> = {
  'res.json': (_req, res) => void res.json({ long: 'x'.repeat(2000) }),
  'res.send': (_req, res) => void res.send('x'.repeat(2000)),
  'res.end': (_req, res) => void res.end('text'),
  'res.end of a Buffer': (_req, res) => void res.end(Buffer.from('text')),
  'res.end without a body': (_req, res) => void res.status(204).end(),
  'res.sendStatus': (_req, res) => void res.sendStatus(404),
  'res.redirect': (_req, res) => res.redirect('/there'),
  'res.cookie': (_req, res) => void res.cookie('a', 'b').cookie('c', 'd').json({}),
  'res.sendFile': (_req, res) => res.sendFile(path.join(folder, 'file.txt')),
  'res.write': (_req, res) => {
    res.write('a')
    res.end('b')
  },
  'res.writeHead': (_req, res) => void res.writeHead(201).end('text'),
  'res.writeHead with a reason': (_req, res) => void res.writeHead(201, 'Made').end('text'),
  'res.writeHead with headers': (_req, res) =>
    void res.writeHead(201, { 'X-Late': '1' }).end('text'),
  'res.writeHead with a list': (_req, res) => void res.writeHead(201, ['X-Late', '1']).end('text'),
  'res.flushHeaders': (_req, res) => {
    res.flushHeaders()
    res.end('text')
  },
  'a pipe': (_req, res) => void pipeline(Readable.from(['a', 'b']), res, () => {}),
  'setHeader and end': (_req, res) => void res.setHeader('Content-Type', 'text/plain').end('text'),
  'an array in setHeader': (_req, res) =>
    void res.setHeader('Set-Cookie', ['a=1', 'b=2']).end('text'),
  appendHeader: (_req, res) => void res.appendHeader('Vary', 'Origin').end('text'),
  setHeaders: (_req, res) => void res.setHeaders(new Headers({ 'X-More': '1' })).end('text'),
}

// Node 26 has removed it.
const hasWriteHeader = 'writeHeader' in http.ServerResponse.prototype
if (hasWriteHeader) {
  handlers['res.writeHeader, its old name'] = (_req, res) => {
    Reflect.get(res, 'writeHeader').call(res, 201)
    res.end('text')
  }
}

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
  compression: compression({ threshold: 0 }),
  'express-session': withSession,
  'an on-headers listener': listenForHeaders,
  'a patched end': patchEnd,
  'a patched writeHead': patchWriteHead,
  'a patched setHeader': patchSetHeader,
}

// Serves through our server and through a plain one, and mounted in another app.
async function everyWay(app: Express, check: (url: string) => Promise<void>): Promise<void> {
  const parent = express()
  parent.disable('x-powered-by')
  parent.use(app)
  for (const server of [createServer(app), http.createServer(app), http.createServer(parent)]) {
    server.listen(0)
    await once(server, 'listening')
    await check(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    server.closeAllConnections()
    server.close()
  }
}

describe('deferred headers', () => {
  for (const [middleware, before] of Object.entries(behind)) {
    it.each(Object.entries(handlers))(
      `are on a response by %s behind ${middleware}`,
      async (_name, handler) => {
        await everyWay(createApp(handler, before), async (url) => {
          const response = await fetch(url, { redirect: 'manual' })
          const text = await response.text()
          expect(Object.fromEntries(response.headers)).toMatchObject({
            'x-first': 'one',
            'x-second': 'two',
          })
          expect(response.headers.get('x-first')).toBe('one')
          const plain = await plainAnswer(handler, before)
          expect({ status: response.status, text: text.replace(/\s+at .*/gs, '') }).toEqual(plain)
        })
      },
    )
  }

  it('add no method that this version of Node lacks', () => {
    expect('writeHeader' in createApp(defer).response).toBe(hasWriteHeader)
  })

  it('let compression compress and express-session set its cookie', async () => {
    const handler = handlers['res.json'] ?? defer
    const zipped = await request(createApp(handler, compression())).get('/')
    expect(zipped.headers).toMatchObject({
      ...constant,
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
    })
    const cookie = await request(createApp(handler, withSession)).get('/')
    expect(cookie.headers['set-cookie']?.[0]).toMatch(/^connect\.sid=/)
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

// What the same handler sends where nothing is deferred.
async function plainAnswer(handler: RequestHandler, before: RequestHandler): Promise<unknown> {
  const app = express()
  app.disable('x-powered-by')
  app.use(before, defer, handler)
  const server = http.createServer(app).listen(0)
  await once(server, 'listening')
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    redirect: 'manual',
  })
  const text = await response.text()
  server.closeAllConnections()
  server.close()
  return { status: response.status, text: text.replace(/\s+at .*/gs, '') }
}
