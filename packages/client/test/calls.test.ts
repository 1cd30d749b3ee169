import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientOptions, Failure, type Fetch } from '../src/index.ts'
import { createNotesClient, type NotesClient, type Service, startService } from './service.ts'

let service: Service
let count = 0

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.client.stop())

async function logIn(options: Partial<ClientOptions> = {}): Promise<NotesClient> {
  const client = createNotesClient({ url: service.client.url, ...options })
  count += 1
  await client.auth.register({ email: `c${count}@example.com`, password: 'correct horse battery' })
  return client
}

/** Handles requests to notes in the test, with the number of those before. */
function intercept(handle: (send: () => Promise<Response>, index: number) => Promise<Response>): {
  fetch: Fetch
  seen: Request[]
} {
  const seen: Request[] = []
  return {
    seen,
    fetch(input, init) {
      if (!(input instanceof Request) || !input.url.includes('/api/notes'))
        return fetch(input, init)
      seen.push(input)
      return handle(() => fetch(input, init), seen.length - 1)
    },
  }
}

function refuse(status: number, headers: Record<string, string> = {}): Promise<Response> {
  return Promise.resolve(new Response(JSON.stringify({ code: 'refused' }), { status, headers }))
}

describe('a call', () => {
  it('returns the data of the response, without its envelope', async () => {
    const client = await logIn()
    const note = await client.notes.create({ title: 'one' })
    expect(note.title).toBe('one')
    expect(await client.notes.get(note.id)).toEqual(note)
    expect(await client.notes.delete(note)).toBeUndefined()
  })

  it('throws a failure with the code, the request id and the faults of the input', async () => {
    const client = await logIn()
    const error: unknown = await client.notes
      .create({ title: '' })
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Failure)
    expect(error).toMatchObject({
      code: 'validation_failed',
      status: 422,
      requestId: expect.any(String),
      errors: [{ in: 'body', pointer: '#/title' }],
    })
  })

  it('returns the failure with safe()', async () => {
    const client = await logIn()
    const absent = await client.notes.get('000000000000000000000000').safe()
    expect(absent).toMatchObject({ ok: false, error: { code: 'not_found', status: 404 } })
    const note = await client.notes.create({ title: 'one' }).safe()
    expect(note).toMatchObject({ ok: true, data: { title: 'one' } })
  })

  it('has a code also where the response is not a problem', async () => {
    const { fetch } = intercept(() =>
      Promise.resolve(new Response('<h1>Bad gateway</h1>', { status: 502 })),
    )
    const client = await logIn({ fetch })
    const result = await client.notes.get('a').safe()
    expect(result).toMatchObject({ ok: false, error: { code: 'http_502', status: 502 } })
  })

  it('refuses a document without an id before it is sent', async () => {
    const client = await logIn()
    await expect(client.notes.get('')).rejects.toThrow('/api/notes/{id} needs id')
  })

  it('can be aborted', async () => {
    const client = await logIn()
    const signal = AbortSignal.abort()
    const result = await client.notes.list({}, { signal }).safe()
    expect(result).toMatchObject({ ok: false, error: { code: 'aborted', status: 0 } })
  })

  it('passes through the middleware of the application', async () => {
    const seen: string[] = []
    const client = await logIn({
      middleware: [
        {
          onRequest: ({ request }) => request.headers.set('traceparent', 'of-the-test'),
          onResponse: ({ request, response }) => {
            seen.push(`${request.method} ${request.headers.get('traceparent')} ${response.status}`)
          },
        },
      ],
    })
    await client.notes.list()
    expect(seen).toContain('GET of-the-test 200')
  })
})

describe('lists', () => {
  it('are read by cursor to the end, or up to a limit', async () => {
    const client = await logIn()
    for (const title of ['a', 'b', 'c', 'd', 'e']) await client.notes.create({ title })
    const read = async (options: object): Promise<string> => {
      let titles = ''
      for await (const { title } of client.notes.each({ sort: 'title' }, options)) titles += title
      return titles
    }
    expect(await read({ pageSize: 2 })).toBe('abcde')
    expect(await read({ pageSize: 2, limit: 3 })).toBe('abc')
    const sizes: number[] = []
    for await (const { data } of client.notes.pages({}, { pageSize: 2 })) sizes.push(data.length)
    expect(sizes).toEqual([2, 2, 1])
  })

  it('end when the loop is left', async () => {
    const { fetch: send, seen } = intercept((next) => next())
    const client = await logIn({ fetch: send })
    for (const title of ['a', 'b', 'c']) await client.notes.create({ title })
    seen.length = 0
    for await (const note of client.notes.each({}, { pageSize: 1 })) {
      expect(note.title).toBeDefined()
      break
    }
    expect(seen).toHaveLength(1)
  })
})

describe('writes', () => {
  it('are refused when the document has changed since it was read', async () => {
    const [client, seen] = [await logIn(), await logIn().then((other) => other)]
    const read = await client.notes.create({ title: 'first' })
    await client.notes.patch(read.id, { title: 'second' })
    const result = await client.notes.patch(read, { title: 'third' }).safe()
    expect(result).toMatchObject({ ok: false, error: { code: 'precondition_failed', status: 412 } })
    if (result.ok || result.error.code !== 'precondition_failed') throw new Error('not refused')
    expect(result.error.current).toMatchObject({ id: read.id, title: 'second' })
    seen.session.close()
  })

  it('know the version of a copy of what was read last', async () => {
    const { fetch: send, seen } = intercept((next) => next())
    const client = await logIn({ fetch: send })
    const read = await client.notes.create({ title: 'first' })
    const changed = await client.notes.patch({ ...read }, { title: 'second' })
    expect(seen.at(-1)?.headers.get('if-match')).toMatch(/^"/)
    expect(await client.notes.delete(changed).safe()).toMatchObject({ ok: true })
  })

  it('send nothing of a version for an id', async () => {
    const { fetch: send, seen } = intercept((next) => next())
    const client = await logIn({ fetch: send })
    const { id } = await client.notes.create({ title: 'first' })
    await client.notes.patch(id, { title: 'second' })
    expect(seen.at(-1)?.headers.has('if-match')).toBe(false)
  })

  it('create one document when the response is lost', async () => {
    const { fetch: send, seen } = intercept(async (next, index) => {
      const response = await next()
      if (index === 0) throw new TypeError('connection reset')
      return response
    })
    const client = await logIn({ fetch: send })
    await client.notes.create({ title: 'once' })
    const [first, second] = seen.map(({ headers }) => headers.get('idempotency-key'))
    expect(first).toMatch(/^"\w{16,}"$/)
    expect(second).toBe(first)
    const { data } = await client.notes.list({ title: 'once' })
    expect(data).toHaveLength(1)
    await client.notes.create({ title: 'twice' })
    expect(seen.at(-1)?.headers.get('idempotency-key')).not.toBe(first)
  })
})

describe('retries', () => {
  it('follow a network error of a read', async () => {
    const { fetch: send } = intercept((next, index) =>
      index < 2 ? Promise.reject(new TypeError('reset')) : next(),
    )
    const client = await logIn({ fetch: send })
    expect((await client.notes.list()).data).toEqual([])
  })

  it('wait as long as the server asks', async () => {
    const times: number[] = []
    const { fetch: send } = intercept((next, index) => {
      times.push(performance.now())
      return index === 0 ? refuse(503, { 'retry-after': '1' }) : next()
    })
    const client = await logIn({ fetch: send })
    await client.notes.list()
    expect(Number(times[1]) - Number(times[0])).toBeGreaterThanOrEqual(990)
  })

  it('follow 429 for any request, since the server has not handled it', async () => {
    const { fetch: send, seen } = intercept((next, index) =>
      index === 1 ? refuse(429, { 'retry-after': '0' }) : next(),
    )
    const client = await logIn({ fetch: send })
    const { id } = await client.notes.create({ title: 'a' })
    await client.notes.patch(id, { title: 'b' })
    expect(seen).toHaveLength(3)
  })

  it('do not follow for a change that may have been made', async () => {
    const { fetch: send, seen } = intercept((next, index) =>
      index === 0 ? next() : Promise.reject(new TypeError('reset')),
    )
    const client = await logIn({ fetch: send })
    const { id } = await client.notes.create({ title: 'a' })
    const result = await client.notes.patch(id, { title: 'b' }).safe()
    expect(result).toMatchObject({ ok: false, error: { code: 'network_error', status: 0 } })
    expect(seen).toHaveLength(2)
  })

  it('end after their number, or when the server asks for more than a minute', async () => {
    const { fetch: send, seen } = intercept(() => refuse(503, { 'retry-after': '0' }))
    const client = await logIn({ fetch: send, retries: 2 })
    expect(await client.notes.list().safe()).toMatchObject({ ok: false, error: { status: 503 } })
    expect(seen).toHaveLength(3)
    const long = intercept(() => refuse(429, { 'retry-after': '3600' }))
    const patient = await logIn({ fetch: long.fetch })
    expect(await patient.notes.list().safe()).toMatchObject({ ok: false, error: { status: 429 } })
    expect(long.seen).toHaveLength(1)
  })

  it('begin when the time of an attempt has passed', async () => {
    const { fetch: send, seen } = intercept((next, index) =>
      index > 0
        ? next()
        : new Promise((_, reject) => {
            const { signal } = seen[0] ?? {}
            signal?.addEventListener('abort', () => reject(signal.reason as Error))
          }),
    )
    const client = await logIn({ fetch: send, timeout: 500 })
    expect((await client.notes.list()).data).toEqual([])
    expect(seen).toHaveLength(2)
  })

  it('report that the time has passed', async () => {
    const { fetch: send } = intercept(
      () => new Promise((_, reject) => setTimeout(() => reject(new TypeError('late')), 1000)),
    )
    const client = await logIn({ fetch: send, timeout: 500, retries: 0 })
    const result = await client.notes.list().safe()
    expect(result).toMatchObject({ ok: false, error: { code: 'timed_out', status: 0 } })
  })
})

describe('streams of events', () => {
  it('continue after the last event when they are interrupted', async () => {
    const client = await logIn()
    const counts: unknown[] = []
    for await (const { data, event, id } of client.pulse.follow()) {
      counts.push([id, event, JSON.parse(data)])
      if (counts.length === 3) break
    }
    expect(counts).toEqual([
      ['1', 'pulse', { count: 1 }],
      ['2', 'pulse', { count: 2 }],
      ['3', 'pulse', { count: 3 }],
    ])
  })

  it('end when they are aborted', async () => {
    const client = await logIn()
    const controller = new AbortController()
    let last = 0
    for await (const { id } of client.pulse.follow({ signal: controller.signal })) {
      last = Number(id)
      if (last === 2) controller.abort()
    }
    expect(last).toBe(2)
  })
})

describe('uploads', () => {
  it('send files and fields as a form', async () => {
    const client = await logIn()
    const file = new File(['12345'], 'five.txt', { type: 'text/plain' })
    expect(await client.files.upload({ caption: 'five', file })).toEqual({
      caption: 'five',
      size: 5,
    })
  })
})
