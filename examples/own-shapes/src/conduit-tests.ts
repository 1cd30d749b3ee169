import request, { type Response } from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collection } from '../../../checks/test/realworld/collection.ts'
import { type Exchange, runSteps } from '../../../checks/test/realworld/run-steps.ts'

export interface Service {
  readonly url: string
  readonly stop: () => Promise<void>
}

interface Account {
  readonly username: string
  readonly token: string
}

type Body = Record<string, unknown>
type Send = (method: Method, path: string, options?: Options) => Promise<Response>
type Method = 'get' | 'post' | 'put' | 'delete'

interface Options {
  readonly as?: Account | undefined
  readonly body?: Body
  readonly status?: number
}

/** The tests of the API, which each of its two versions passes: the contract of RealWorld, and what it leaves open. */
export function testConduit(
  start: () => Promise<Service>,
  record?: (exchange: Exchange) => void,
): void {
  let service: Service
  beforeAll(async () => {
    service = await start()
  })
  afterAll(() => service.stop())

  describe('the contract of RealWorld', () => {
    it.each(Object.entries(collection))('is kept: %s', async (_name, steps) => {
      expect(await runSteps(service.url, steps, record)).toBe(steps.length)
    })
  })

  describe('beyond the contract', () => {
    testMore(async (method, path, { as, body, status = 200 } = {}) => {
      const call = request(service.url)[method](`/api${path}`)
      if (as) void call.set('Authorization', `Token ${as.token}`)
      const response = await call.send(body)
      expect([response.status, response.body]).toEqual([status, response.body])
      return response
    })
  })
}

let count = 0
const password = 'correct horse battery staple'

async function signUp(send: Send): Promise<Account> {
  const username = `user${++count}`
  const user = { username, email: `${username}@example.org`, password }
  const { body } = await send('post', '/users', { body: { user }, status: 201 })
  return { username, token: body.user.token }
}

async function publish(send: Send, as: Account): Promise<Body & { slug: string }> {
  const article = { title: 'How to train', description: 'In short', body: 'At length' }
  const { body } = await send('post', '/articles', { as, body: { article }, status: 201 })
  return body.article
}

function testMore(send: Send): void {
  it('compares addresses in any case', async () => {
    const user = { username: 'ada', email: 'Ada@example.org', password }
    const { body } = await send('post', '/users', { body: { user }, status: 201 })
    expect(body.user.email).toBe('ada@example.org')
    const login = { user: { email: 'ADA@example.org', password } }
    await send('post', '/users/login', { body: login })
  })

  it('names all fields that are invalid', async () => {
    const user = { username: '!', email: 'nope', password: 'short', admin: true }
    const { body } = await send('post', '/users', { body: { user }, status: 422 })
    expect(Object.keys(body.errors)).toEqual(
      expect.arrayContaining(['username', 'email', 'password']),
    )
    await send('post', '/users', { body: {}, status: 422 })
  })

  it('ends the validity of an old password', async () => {
    const as = await signUp(send)
    const changes = { user: { password: `${password}!` } }
    const { body } = await send('put', '/user', { as, body: changes })
    expect(body.user.username).toBe(as.username)
    const email = `${as.username}@example.org`
    const login = (text: string): Options => ({ body: { user: { email, password: text } } })
    await send('post', '/users/login', login(`${password}!`))
    await send('post', '/users/login', { ...login(password), status: 401 })
  })

  it('states the scheme of its tokens', async () => {
    const { headers } = await send('get', '/user', { status: 401 })
    expect(headers['www-authenticate']).toMatch(/^Token/u)
  })

  it('refuses what a list does not know', async () => {
    for (const query of ['limit=101', 'limit=x', 'nope=1']) {
      const { body } = await send('get', `/articles?${query}`, { status: 422 })
      expect(Object.keys(body)).toEqual(['errors'])
    }
  })

  it('gives no two comments the same number', async () => {
    const [ada, bob] = [await signUp(send), await signUp(send)]
    const path = `/articles/${(await publish(send, ada)).slug}/comments`
    const added = await Promise.all(
      [1, 2, 3].map((nth) =>
        send('post', path, { as: bob, body: { comment: { body: `No. ${nth}` } }, status: 201 }),
      ),
    )
    const ids: number[] = added.map(({ body }) => body.comment.id)
    expect(new Set(ids).size).toBe(3)
    const { body } = await send('get', path)
    expect(body.comments.map(({ id }: Body) => id)).toEqual(ids.toSorted((a, b) => b - a))
    await send('delete', `${path}/x`, { as: bob, status: 404 })
  })

  it('counts favorites that arrive at once only once', async () => {
    const [ada, bob] = [await signUp(send), await signUp(send)]
    const { slug } = await publish(send, ada)
    const path = `/articles/${slug}/favorite`
    await Promise.all([1, 2, 3].map(() => send('post', path, { as: bob })))
    const { body } = await send('get', `/articles/${slug}`, { as: bob })
    expect(body.article).toMatchObject({ favorited: true, favoritesCount: 1 })
  })

  it('is 404 in the same format for an unknown path', async () => {
    const { body } = await send('get', '/nope', { status: 404 })
    expect(body).toEqual({ errors: { body: [expect.any(String)] } })
  })
}
