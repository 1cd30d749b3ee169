import { afterAll, describe, expect, it } from 'vitest'
import { api } from '../examples/blog/src/app.ts'

const { url } = await api.start({ port: 0, signals: false })

afterAll(() => api.stop())

interface JsonResponse {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- the body of any response
  readonly body: any
}

async function send(
  method: string,
  path: string,
  options: { body?: unknown; token?: string; headers?: Record<string, string> } = {},
): Promise<JsonResponse> {
  const { body, token, headers } = options
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

// The requests of one user, in order.
describe('a session of one user with the generated service', () => {
  const email = 'ada@example.org'
  const password = 'correct horse battery staple'
  let accessToken = ''
  let refreshToken = ''
  let id = ''
  const draft = {
    title: 'Hello',
    slug: 'hello',
    body: 'World',
    status: 'draft',
    tags: ['a'],
    author: '',
  }

  it('finds the service healthy', async () => {
    expect(await send('GET', '/')).toMatchObject({ status: 200, body: { status: 'pass' } })
  })

  it('registers', async () => {
    const { status, body } = await send('POST', '/api/v1/auth/register', {
      body: { email, password },
    })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({ user: { email }, tokenType: 'Bearer' })
    // Less by the seconds that the response has taken.
    expect(body.data.expiresIn).toBeCloseTo(900, -1)
    expect(JSON.stringify(body)).not.toContain('argon2')
  })

  it('logs in', async () => {
    const { status, body } = await send('POST', '/api/v1/auth/login', { body: { email, password } })
    expect(status).toBe(200)
    ;({ accessToken, refreshToken } = body.data)
  })

  it('refreshes, which invalidates the old refresh token', async () => {
    const { status, body } = await send('POST', '/api/v1/auth/refresh-token', {
      body: { refreshToken },
    })
    expect(status).toBe(200)
    expect(body.data.refreshToken).not.toBe(refreshToken)
    ;({ accessToken, refreshToken } = body.data)
  })

  it('reads the current user', async () => {
    const { status, body } = await send('GET', '/api/v1/auth/me', { token: accessToken })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ email, roles: [] })
  })

  it('is unauthenticated without a token', async () => {
    const { status, headers, body } = await send('GET', '/api/v1/auth/me')
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe('Bearer realm="api"')
    expect(body.code).toBe('unauthenticated')
  })

  it('creates an author, and a post of that author', async () => {
    const author = await send('POST', '/api/authors', { body: { name: 'Ada' }, token: accessToken })
    expect(author.status).toBe(201)
    draft.author = author.body.data.id
    const { status, headers, body } = await send('POST', '/api/posts', {
      body: draft,
      token: accessToken,
    })
    expect(status).toBe(201)
    id = body.data.id
    expect(headers.get('location')).toBe(`/api/posts/${id}`)
    expect(headers.get('etag')).toMatch(/^"/)
    expect(body.data).toMatchObject(draft)
  })

  it('lists posts', async () => {
    const { status, body } = await send('GET', '/api/posts?limit=1&sort=-createdAt', {
      token: accessToken,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ data: [{ id }], meta: { page: 1, limit: 1, total: 1, pages: 1 } })
  })

  it('reads, replaces and patches the post', async () => {
    const token = accessToken
    expect((await send('GET', `/api/posts/${id}`, { token })).body.data.title).toBe('Hello')
    const replaced = await send('PUT', `/api/posts/${id}`, {
      body: { ...draft, title: 'New', tags: undefined },
      token,
    })
    expect(replaced).toMatchObject({ status: 200, body: { data: { title: 'New', tags: [] } } })
    const patched = await send('PATCH', `/api/posts/${id}`, {
      body: { status: 'published' },
      token,
    })
    expect(patched).toMatchObject({
      status: 200,
      body: { data: { title: 'New', status: 'published' } },
    })
  })

  it('deletes the post once', async () => {
    const token = accessToken
    const path = `/api/posts/${id}`
    expect(await send('DELETE', path, { token })).toMatchObject({ status: 204, body: undefined })
    expect(await send('DELETE', path, { token })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
    expect((await send('GET', path, { token })).status).toBe(404)
  })

  it('gets 405 with Allow for a wrong method, and 404 for an unknown path', async () => {
    const { status, headers, body } = await send('DELETE', '/api/posts')
    expect([status, body.code]).toEqual([405, 'method_not_allowed'])
    expect(headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST')
    expect((await send('GET', '/nope')).body.code).toBe('not_found')
  })

  it('gets 415, 413, 400 and 422 for invalid bodies', async () => {
    const token = accessToken
    const text = await send('POST', '/api/posts', {
      body: 'x',
      headers: { 'content-type': 'text/plain' },
      token,
    })
    expect([text.status, text.body.code]).toEqual([415, 'unsupported_media_type'])
    const large = await send('POST', '/api/posts', {
      body: { title: 'x'.repeat(150_000) },
      token,
    })
    expect([large.status, large.body.code]).toEqual([413, 'payload_too_large'])
    const broken = await send('POST', '/api/posts', { body: '{"title":', token })
    expect([broken.status, broken.body.code]).toEqual([400, 'malformed_json'])
    const invalid = await send('POST', '/api/posts', {
      body: { title: '', owner: 'me' },
      token,
    })
    expect(invalid.status).toBe(422)
    const pointers = invalid.body.errors.map((item: { pointer: string }) => item.pointer)
    expect(pointers).toEqual(expect.arrayContaining(['#/title', '#/body', '#/owner']))
  })

  it('gets 429 from authentication while other routes still respond', async () => {
    const statuses: number[] = []
    let last: JsonResponse | undefined
    for (let attempt = 0; attempt < 12; attempt++) {
      last = await send('POST', '/api/v1/auth/login', {
        body: { email, password: 'wrong password' },
      })
      statuses.push(last.status)
    }
    expect(statuses[0]).toBe(401)
    expect(last).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await send('GET', '/api/posts', { token: accessToken })).status).toBe(200)
  })
})
