import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import express, { type Express, type RequestHandler } from 'express'
import morgan from 'morgan'
import request from 'supertest'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { accessLog, type AccessLogOptions } from './access-log.ts'
import { requestId } from './request-id.ts'

class Lines {
  text = ''
  write(text: string): void {
    this.text += text
  }
  get all(): string[] {
    return this.text.split('\n').slice(0, -1)
  }
}

async function readFirst(lines: Lines, count = 1): Promise<string[]> {
  await expect.poll(() => lines.all.length).toBeGreaterThanOrEqual(count)
  return lines.all
}

function createApp(options: AccessLogOptions, ...before: RequestHandler[]): Express {
  const app = express()
  app.use(...before, requestId(), accessLog(options))
  app.get('/posts/:id', (req, res) => {
    Object.assign(req, { user: { id: 'u1', email: 'a@b.c', roles: [] } })
    res.status(201).json({ id: req.params.id })
  })
  app.get('/slow', (_req, res) => {
    res.write('a')
  })
  return app
}

describe('accessLog', () => {
  it('ERR-06 writes one JSON object for each request', async () => {
    const lines = new Lines()
    const app = createApp({ stream: lines })
    const response = await request(app).get('/posts/7?page=1').set('User-Agent', 'test "agent"')
    const [line = ''] = await readFirst(lines)
    expect(JSON.parse(line)).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      msg: 'request',
      requestId: response.headers['x-request-id'],
      method: 'GET',
      path: '/posts/7?page=1',
      route: '/posts/:id',
      status: 201,
      ms: expect.any(Number),
      bytes: Number(response.headers['content-length']),
      userId: 'u1',
      ip: expect.stringMatching(/127\.0\.0\.1$/),
      userAgent: 'test "agent"',
    })
  })

  it('agrees with the tokens of morgan', async () => {
    const lines = new Lines()
    const theirs: string[] = []
    const format = ':method :url :status :res[content-length] :remote-addr :user-agent'
    const app = createApp(
      { stream: lines },
      morgan(format, { stream: { write: (text) => void theirs.push(text) } }),
    )
    await request(app).get('/posts/7').set('User-Agent', 'agent')
    const [line = ''] = await readFirst(lines)
    const { method, path, status, bytes, ip, userAgent } = JSON.parse(line)
    expect(theirs).toEqual([`${[method, path, status, bytes, ip, userAgent].join(' ')}\n`])
  })

  it.each([
    'combined',
    'common',
    'short',
    'tiny',
    'dev',
    ':method :url - :status :req[x-own] :total-time ms',
  ])('writes %s as morgan does, but for the time', async (format) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const lines = new Lines()
    let theirs = ''
    const app = createApp(
      { format, stream: lines },
      morgan(format, { stream: { write: (text) => void (theirs += text) } }),
    )
    await request(app)
      .get('/posts/7?page=1')
      .set('User-Agent', 'agent')
      .set('X-Own', 'own')
      .auth('user', 'pass')
    await expect.poll(() => theirs).not.toBe('')
    const timeless = (text: string): string => text.replace(/\d+\.\d{3} ms/, 'N ms')
    expect((await readFirst(lines)).map(timeless)).toEqual([timeless(theirs.trimEnd())])
  })

  it.each([
    'json',
    'combined',
    'dev',
    ':url :req[authorization] :req[cookie] :res[set-cookie] :req[x-api-key] :referrer',
  ])('LGG-01 hides secrets in %s', async (format) => {
    const lines = new Lines()
    const app = createApp({ format, stream: lines }, (_req, res, next) => {
      res.setHeader('Set-Cookie', 'sid=hunter2')
      next()
    })
    const path =
      '/posts/7?access_token=hunter2&%74oken=hunter2&x=eyJhbGciOiJIUzI1NiJ9.hunter2.sig&page=1'
    await request(app)
      .get(path)
      .set('Authorization', 'Bearer hunter2')
      .set('Cookie', 'sid=hunter2')
      .set('X-Api-Key', 'hunter2')
      .set('Referer', 'https://x.example/?refreshToken=hunter2')
    const [line = ''] = await readFirst(lines)
    expect(line).not.toContain('hunter2')
    expect(line).toContain('page=1')
    expect(line).toContain('[redacted]')
  })

  it('LGG-02 cannot be broken by what clients send', async () => {
    const lines = new Lines()
    const app = createApp({ stream: lines })
    await request(app)
      .get('/posts/%0a{"level":"fatal"}%22')
      .set('User-Agent', 'a"b\\c\u00e9\u0085d')
    await request(app).get('/posts/1').auth('x\ny', 'z')
    const all = await readFirst(lines, 2)
    expect(all).toHaveLength(2)
    for (const line of all)
      expect(JSON.parse(line)).toMatchObject({ level: 'info', msg: 'request' })
    const combined = new Lines()
    await request(createApp({ format: 'combined', stream: combined }))
      .get('/x')
      .auth('x\n"y', 'z')
    expect(await readFirst(combined)).toHaveLength(1)
  })

  it('marks a request whose client disconnected before the response was complete', async () => {
    const lines = new Lines()
    const server = createApp({ stream: lines }).listen(0)
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'data')
    socket.destroy()
    const [line = ''] = await readFirst(lines)
    expect(JSON.parse(line)).toMatchObject({ path: '/slow', status: 200, aborted: true })
    server.close()
  })

  it('logs no status when no response was sent', async () => {
    const lines = new Lines()
    const app = createApp({ stream: lines })
    const reached = new Promise((resolve) => {
      app.get('/never', (_req, res) => resolve(res))
    })
    const server = app.listen(0)
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write('GET /never HTTP/1.1\r\nHost: x\r\n\r\n')
    await reached
    socket.destroy()
    const [line = ''] = await readFirst(lines)
    expect(JSON.parse(line)).toEqual({
      level: 'info',
      time: expect.any(String),
      msg: 'request',
      requestId: expect.any(String),
      method: 'GET',
      path: '/never',
      route: '/never',
      ms: expect.any(Number),
      aborted: true,
      // The socket is gone, and its address with it.
      ip: expect.any(String),
    })
    server.close()
  })

  it('can be switched off, and skip requests', async () => {
    const lines = new Lines()
    await request(createApp({ format: false, stream: lines }))
      .get('/posts/1')
      .expect(201)
    const skip = createApp({ stream: lines, skip: (req) => req.path === '/posts/1' })
    await request(skip).get('/posts/1').expect(201)
    await request(skip).get('/posts/2').expect(201)
    expect((await readFirst(lines)).map((line) => JSON.parse(line).path)).toEqual(['/posts/2'])
  })

  it('does not let a bug in the options end the process', async () => {
    const lines = new Lines()
    const app = createApp({
      stream: lines,
      skip: () => {
        throw new Error('bug')
      },
    })
    await request(app).get('/posts/1').expect(201)
    const [line = ''] = await readFirst(lines)
    expect(JSON.parse(line)).toMatchObject({ level: 'error', msg: 'access log failed: bug' })
  })

  it.each([
    ['jsn', 'log format "jsn" is unknown. Use json, combined,'],
    ['', 'log format "" is unknown. Use json, combined,'],
    [':nope :url', 'log format: morgan has no token :nope.'],
  ])('rejects the format %j', (format, message) => {
    expect(() => accessLog({ format })).toThrow(message)
  })
})
