import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import http from 'node:http'
import path from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { createTestClient, findAccessFaults } from '@create-api/core/testing'
import {
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  type FileInfo,
  multipart,
  success,
  type TemporaryFile,
} from '@create-api/core'
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import {
  type Received,
  send,
  startUploads,
  untilEmpty,
  type UploadService,
} from './upload-service.ts'

let service: UploadService
let seen: unknown
const events: string[] = []
const aborts = Number(process.env['UPLOAD_ABORTS'] ?? 1000)

// Takes each chunk after a moment.
let release = (): void => {}

// Takes nothing before it is released.
function heldSink(): Writable {
  const released = new Promise<void>((resolve) => (release = resolve))
  return new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, take) => void released.then(() => take()),
    destroy(error, done) {
      events.push(`destroyed: ${error?.message}`)
      done(null)
    },
  })
}

function toObject(file: FileInfo): {
  stream: Writable
  result: Promise<string>
  discard: () => void
} {
  const stream = new PassThrough()
  let text = ''
  stream.on('data', (chunk: Buffer) => (text += String(chunk)))
  const result = once(stream, 'end').then(() => `bucket/${file.filename}: ${text}`)
  return { stream, result, discard: () => void events.push(`discarded ${file.filename}`) }
}

beforeAll(async () => {
  service = await startUploads((directory) => [
    defineRoute({
      method: 'post',
      path: '/',
      access: 'public',
      body: multipart({
        fields: z.strictObject({ title: z.string(), count: z.number().optional() }),
        files: { avatar: { maxSize: '200mb' }, pages: { maxCount: 3, required: false } },
        directory,
      }),
      response: z.unknown(),
      handler: async (req, res) => {
        expectTypeOf(req.valid.body.title).toEqualTypeOf<string>()
        expectTypeOf(req.valid.body.avatar).toEqualTypeOf<TemporaryFile>()
        expectTypeOf(req.valid.body.pages).toEqualTypeOf<readonly TemporaryFile[]>()
        seen = req.valid.body
        const { avatar } = req.valid.body
        const content = avatar.size < 1000 ? await readFile(avatar.path, 'utf8') : ''
        const { mode } = await stat(avatar.path)
        success(res, {
          content,
          mode: (mode & 0o777).toString(8),
          folder: path.dirname(avatar.path),
        })
      },
    }),
    defineRoute({
      method: 'post',
      path: '/stored',
      access: 'public',
      body: multipart({
        fields: z.strictObject({ title: z.string().max(5).optional() }),
        files: {
          object: { sink: toObject, required: false },
          raw: { sink: () => new PassThrough().resume(), required: false },
          held: { sink: heldSink, maxSize: '200mb', required: false },
        },
        directory,
      }),
      response: z.unknown(),
      handler: (req, res) => {
        if (req.valid.body.object) {
          expectTypeOf(req.valid.body.object.result).toEqualTypeOf<string>()
        }
        success(res, { result: req.valid.body.object?.result, size: req.valid.body.raw?.size })
      },
    }),
    defineRoute({
      method: 'post',
      path: '/full',
      access: 'public',
      body: multipart({
        files: {
          file: {
            sink: () => {
              throw new Error('the disk is full')
            },
          },
        },
      }),
      handler: (_req, res) => success(res),
    }),
  ])
})

beforeEach(() => {
  events.length = 0
  service.log.length = 0
})

afterAll(() => service.stop())

function toForm(entries: Readonly<Record<string, string | File | File[]>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(entries)) {
    for (const item of [value].flat()) form.append(name, item)
  }
  return form
}

async function post(form: FormData, route = ''): Promise<Pick<Received, 'status' | 'body'>> {
  const response = await fetch(`${service.url}/api/files${route}`, { method: 'POST', body: form })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

const avatar = new File(['hello'], '../../etc/pass\u202ewd', { type: 'text/plain' })

describe('multipart', () => {
  it('gives the handler parsed fields and temporary files that only its user can read', async () => {
    const pages = [new File(['1'], 'one.txt'), new File(['22'], 'two.txt')]
    const { status, body } = await post(toForm({ title: 'Ada ☃', count: '3', avatar, pages }))
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ content: 'hello', mode: '600' })
    expect(path.dirname(body.data.folder)).toBe(service.directory)
    expect(seen).toMatchObject({
      title: 'Ada ☃',
      count: 3,
      avatar: { field: 'avatar', filename: 'passwd', type: 'text/plain', size: 5 },
      pages: [
        { filename: 'one.txt', type: 'application/octet-stream', size: 1 },
        { filename: 'two.txt', size: 2 },
      ],
    })
    await untilEmpty(service)
  })

  it('reports missing files and invalid fields together', async () => {
    const { status, body } = await post(toForm({ count: 'many' }))
    expect(status).toBe(422)
    expect(body.errors).toEqual([
      { in: 'body', pointer: '#/title', code: 'invalid_type', detail: 'is required' },
      { in: 'body', pointer: '#/count', code: 'invalid_type', detail: 'must be a number' },
      { in: 'body', pointer: '#/avatar', code: 'invalid_type', detail: 'is required' },
    ])
  })

  it('takes the empty file input of a form for no file', async () => {
    const empty = new File([], '')
    const { status, body } = await post(toForm({ title: 'x', avatar: empty, pages: [empty] }))
    expect([status, body.errors.length, body.errors[0].pointer]).toEqual([422, 1, '#/avatar'])
  })

  it('passes files to a sink of the application, and its result to the handler', async () => {
    const object = new File(['content'], 'a.txt')
    const { body } = await post(toForm({ object, raw: new File(['12345'], 'b.bin') }), '/stored')
    expect(body.data).toEqual({ result: 'bucket/a.txt: content', size: 5 })
    expect(events.filter((event) => event.startsWith('discarded'))).toEqual([])
  })

  it('discards what a sink has stored if the request is rejected', async () => {
    const object = new File(['content'], 'a.txt')
    const { status } = await post(toForm({ object, title: 'too long' }), '/stored')
    expect(status).toBe(422)
    expect(events).toContain('discarded a.txt')
  })

  it('responds 500 if a sink fails, and logs the cause', async () => {
    const { status } = await post(toForm({ file: avatar }), '/full')
    expect(status).toBe(500)
    expect(service.log.join('')).toContain('the disk is full')
  })

  it('keeps content that looks like a boundary, in pieces of any size', async () => {
    const content = '\r\n--\r\n--Y\r\n-\r\r\n\r\n--\n--X--\r\n--x--'
    const field = 'Content-Disposition: form-data; name='
    const body = `--X\r\n${field}"title"\r\n\r\nx\r\n--X\r\n${field}"avatar"; filename="a"\r\n\r\n${content}\r\n--X--\r\n`
    for (const pieceSize of [1, 2, 3, 5, 8, 13, 21]) {
      const response = await send(service.url, body, {}, pieceSize)
      expect(response.body.data.content).toBe(content)
    }
  })

  it('closes the connection if it rejects a request whose body is still arriving', async () => {
    const { req } = startUpload('?unknown=1', 'avatar', 50 * 1024 * 1024)
    const [res] = (await once(req, 'response')) as [http.IncomingMessage]
    expect([res.statusCode, res.headers.connection]).toEqual([400, 'close'])
    res.resume()
    await new Promise((resolve) => req.once('close', resolve))
  })

  it('reads no faster than its sink writes', async () => {
    // More than the buffers of the sockets can grow to.
    const size = 128 * 1024 * 1024
    const { req, sent } = startUpload('/stored', 'held', size)
    let before = -1
    while (before !== sent()) {
      before = sent()
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    expect(sent()).toBeLessThan(size)
    req.destroy()
    // Seen when the sink takes more: until then nothing reads from the socket.
    release()
    await expect.poll(() => events).toEqual(['destroyed: The body is incomplete.'])
  })

  it(`leaves no file of ${aborts} aborted uploads`, async () => {
    const before = await countConnections(service)
    for (let round = 0; round < aborts / 20; round++) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => abortUpload(index)))
    }
    await untilEmpty(service)
    expect(service.log).toEqual([])
    await expect.poll(() => countConnections(service)).toBeLessThanOrEqual(before)
  })

  it('behaves as the access of its routes says', async () => {
    const client = { url: service.url, signUp: () => Promise.reject(new Error('not needed')) }
    expect(await findAccessFaults(service.api, client)).toEqual([])
    expectTypeOf(createTestClient).toBeFunction()
  })
})

describe('multipart()', () => {
  const files = { file: {} }

  it('refuses rules that are not valid', () => {
    const body = (file: object, rest: object = {}): unknown =>
      multipart({ files: { file }, ...rest })
    expect(() => body({ maxSize: 'big' })).toThrow('maxSize of file must be a size')
    expect(() => body({ maxCount: 0 })).toThrow('maxCount of file must be a whole number')
    expect(() => body({ types: ['png'] })).toThrow("'png' in types of file is not a media type")
    expect(() => body({ checkContent: true })).toThrow('checkContent of file cannot check */*')
    expect(() => body({ checkContent: true, types: ['text/csv'] })).toThrow('cannot check text/csv')
    expect(() => body({}, { maxParts: 1.5 })).toThrow('maxParts must be a whole number')
    expect(() => body({}, { fields: z.strictObject({ file: z.string() }) })).toThrow(
      "'file' is a field and a file",
    )
    expect(() => multipart({ files: {} })).toThrow('needs at least one file')
    expect(() => multipart({ files: { constructor: {} } })).toThrow("'constructor' is not allowed")
  })

  it('refuses an idempotent route', () => {
    const route = defineRoute({
      method: 'post',
      path: '/',
      access: 'public',
      idempotent: true,
      body: multipart({ files }),
      handler: (_req, res) => success(res),
    })
    const routes = createRegistry().use('/api/files', createRouter([route]))
    expect(() => createApi({ routes, auth: false, database: false })).toThrow(
      'POST /api/files cannot be idempotent: its body is not kept.',
    )
  })
})

// Sends a body of that size and counts what the socket has taken.
function startUpload(
  route: string,
  name: string,
  size: number,
): { req: http.ClientRequest; sent: () => number } {
  const req = http.request(`${service.url}/api/files${route}`, {
    method: 'POST',
    agent: false,
    headers: { 'Content-Type': 'multipart/form-data; boundary=X' },
  })
  req.on('error', () => {})
  req.write(`--X\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n\r\n`)
  const chunk = Buffer.alloc(65_536, 'a')
  let sent = 0
  const pump = (): void => {
    while (sent < size && !req.destroyed) {
      sent += chunk.length
      if (!req.write(chunk)) {
        req.once('drain', pump)
        return
      }
    }
  }
  pump()
  return { req, sent: () => sent }
}

async function abortUpload(index: number): Promise<void> {
  const { req } = startUpload('', index % 2 === 0 ? 'avatar' : 'pages', 65_536 * (index % 5))
  const closed = new Promise((resolve) => req.once('close', resolve))
  await new Promise((resolve) => setTimeout(resolve, index * 3))
  req.destroy()
  await closed
}

function countConnections({ api }: UploadService): Promise<number> {
  return new Promise((resolve, reject) => {
    api.server?.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}
