import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { type RequestListener } from 'node:http'
import mongoose from 'mongoose'
import request, { type Response } from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

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

const profile = { bio: null, image: null, following: false }

/** The tests of the API; each of its two versions passes them. */
export function testConduit(createApp: () => Promise<RequestListener>): void {
  describe('the API', () => {
    let app: RequestListener
    let stop: () => Promise<void>

    beforeAll(async () => {
      const database = await startEmbeddedMongo({ storage: { memory: true } })
      await mongoose.connect(process.env['MONGODB_URI'] ?? database.uri, { dbName: 'own_shapes' })
      app = await createApp()
      stop = async () => {
        await mongoose.connection.dropDatabase()
        await mongoose.disconnect()
        await database.stop()
      }
    })
    afterAll(() => stop())

    const send: Send = async (method, path, { as, body, status = 200 } = {}) => {
      const call = request(app)[method](`/api${path}`)
      if (as) void call.set('Authorization', `Token ${as.token}`)
      const response = await call.send(body)
      expect([response.status, response.body]).toEqual([status, response.body])
      return response
    }

    describe('users', () => {
      testUsers(send)
    })
    describe('profiles', () => {
      testProfiles(send)
    })
    describe('articles', () => {
      testArticles(send)
    })
    describe('comments', () => {
      testComments(send)
    })
    describe('anything else', () => {
      it('is 404 in the same format', async () => {
        const { body } = await send('get', '/nope', { status: 404 })
        expect(body).toEqual({ errors: { body: [expect.any(String)] } })
      })
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

async function publish(
  send: Send,
  as: Account,
  changes: Body = {},
): Promise<Body & { slug: string }> {
  const article = { title: 'How to train', description: 'In short', body: 'At length', ...changes }
  const { body } = await send('post', '/articles', { as, body: { article }, status: 201 })
  return body.article
}

function testUsers(send: Send): void {
  it('registers, logs in and returns the caller', async () => {
    const user = { username: 'ada', email: 'Ada@example.org', password }
    const { body } = await send('post', '/users', { body: { user }, status: 201 })
    const expected = { email: 'ada@example.org', username: 'ada', bio: null, image: null }
    expect(body).toEqual({ user: { ...expected, token: expect.any(String) } })

    const login = { user: { email: 'ADA@example.org', password } }
    const { body: loggedIn } = await send('post', '/users/login', { body: login })
    expect(loggedIn).toEqual({ user: { ...expected, token: expect.any(String) } })

    const as = { username: 'ada', token: loggedIn.user.token }
    const { body: current } = await send('get', '/user', { as })
    expect(current.user).toMatchObject(expected)
  })

  it.each([
    ['a wrong password', { email: 'ada@example.org', password: 'wrong password' }],
    ['an unknown user', { email: 'unknown@example.org', password }],
  ])('refuses a login with %s', async (_case, user) => {
    const { body } = await send('post', '/users/login', { body: { user }, status: 401 })
    expect(Object.keys(body)).toEqual(['errors'])
  })

  it('names the fields that are invalid', async () => {
    const user = { username: '!', email: 'nope', password: 'short', admin: true }
    const { body } = await send('post', '/users', { body: { user }, status: 422 })
    expect(Object.keys(body.errors)).toEqual(
      expect.arrayContaining(['username', 'email', 'password']),
    )
    for (const messages of Object.values(body.errors)) {
      expect(messages).toEqual(expect.arrayContaining([expect.any(String)]))
    }
    await send('post', '/users', { body: {}, status: 422 })
  })

  it.each(['username', 'email'])('takes a %s once', async (field) => {
    const { username } = await signUp(send)
    const taken = { username, email: `${username}@example.org` }
    const fresh = { username: `${username}x`, email: `${username}x@example.org` }
    const user = { ...fresh, [field]: new Map(Object.entries(taken)).get(field), password }
    const { body } = await send('post', '/users', { body: { user }, status: 409 })
    expect(Object.keys(body.errors)).toEqual([field])
  })

  it('changes own fields and the password', async () => {
    const as = await signUp(send)
    const changes = { bio: 'I write', image: 'https://example.org/a.png', password: `${password}!` }
    const { body } = await send('put', '/user', { as, body: { user: changes } })
    expect(body.user).toMatchObject({ bio: 'I write', image: 'https://example.org/a.png' })
    const email = `${as.username}@example.org`
    const login = (text: string): Options => ({ body: { user: { email, password: text } } })
    await send('post', '/users/login', login(`${password}!`))
    await send('post', '/users/login', { ...login(password), status: 401 })
    const renewed = { ...as, token: body.user.token }
    await send('put', '/user', { as: renewed, body: { user: { bio: 5 } }, status: 422 })
  })

  it('refuses requests without a valid token', async () => {
    const invalid = { username: '', token: 'no.to.ken' }
    const { headers } = await send('get', '/user', { status: 401 })
    expect(headers['www-authenticate']).toMatch(/^Token/u)
    await send('get', '/user', { as: invalid, status: 401 })
    await send('put', '/user', { body: { user: {} }, status: 401 })
  })
}

function testProfiles(send: Send): void {
  it('follows and unfollows', async () => {
    const [ada, bob] = [await signUp(send), await signUp(send)]
    const path = `/profiles/${bob.username}`
    const expected = { username: bob.username, ...profile }
    expect((await send('get', path)).body).toEqual({ profile: expected })
    await send('post', `${path}/follow`, { status: 401 })
    const followed = await send('post', `${path}/follow`, { as: ada })
    expect(followed.body).toEqual({ profile: { ...expected, following: true } })
    await send('post', `${path}/follow`, { as: ada })
    expect((await send('get', path, { as: ada })).body.profile.following).toBe(true)
    expect((await send('get', path)).body.profile.following).toBe(false)
    const left = await send('delete', `${path}/follow`, { as: ada })
    expect(left.body).toEqual({ profile: expected })
  })

  it('refuses an invalid token although none is needed, and an unknown user', async () => {
    const { username } = await signUp(send)
    const as = { username: '', token: 'no.to.ken' }
    await send('get', `/profiles/${username}`, { as, status: 401 })
    const { body } = await send('get', '/profiles/unknown', { status: 404 })
    expect(Object.keys(body)).toEqual(['errors'])
  })
}

function testArticles(send: Send): void {
  it('creates, reads, changes and removes', async () => {
    const as = await signUp(send)
    const article = await publish(send, as, { tagList: ['dragons', 'training'] })
    expect(article).toEqual({
      slug: expect.stringMatching(/^how-to-train-/u),
      title: 'How to train',
      description: 'In short',
      body: 'At length',
      tagList: ['dragons', 'training'],
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/u),
      updatedAt: article['createdAt'],
      favorited: false,
      favoritesCount: 0,
      author: { username: as.username, ...profile },
    })
    const path = `/articles/${article.slug}`
    expect((await send('get', path)).body).toEqual({ article })
    const body = { article: { title: 'Did you train?' } }
    const changed = await send('put', path, { as, body })
    expect(changed.body.article).toMatchObject({ title: 'Did you train?', body: 'At length' })
    expect(changed.body.article.slug).toMatch(/^did-you-train-/u)
    const newPath = `/articles/${changed.body.article.slug}`
    await send('delete', newPath, { as, status: 204 })
    await send('get', newPath, { status: 404 })
  })

  it('refuses what is invalid, unknown or somebody else’s', async () => {
    const [ada, bob] = [await signUp(send), await signUp(send)]
    const { slug } = await publish(send, ada)
    const body = { article: { title: '' } }
    const { body: invalid } = await send('post', '/articles', { as: ada, body, status: 422 })
    expect(Object.keys(invalid.errors)).toEqual(
      expect.arrayContaining(['title', 'description', 'body']),
    )
    await send('post', '/articles', { body, status: 401 })
    const changes = { article: { title: 'Mine' } }
    await send('put', `/articles/${slug}`, { as: bob, body: changes, status: 403 })
    await send('delete', `/articles/${slug}`, { as: bob, status: 403 })
    await send('put', '/articles/nope', { as: bob, body: changes, status: 404 })
  })

  it('lists by tag, author and favourite, in parts', async () => {
    const [ada, bob] = [await signUp(send), await signUp(send)]
    const tag = `tag${count}`
    for (const title of ['First', 'Second', 'Third'])
      await publish(send, ada, { title, tagList: [tag] })
    const all = await send('get', `/articles?tag=${tag}`)
    expect(all.body.articlesCount).toBe(3)
    expect(all.body.articles.map(({ title }: Body) => title)).toEqual(['Third', 'Second', 'First'])
    expect(all.body.articles[0]).not.toHaveProperty('body')
    const part = await send('get', `/articles?author=${ada.username}&limit=1&offset=1`)
    expect(part.body).toMatchObject({ articles: [{ title: 'Second' }], articlesCount: 3 })
    await send('post', `/articles/${part.body.articles[0].slug}/favorite`, { as: bob })
    const favorites = await send('get', `/articles?favorited=${bob.username}`, { as: bob })
    expect(favorites.body).toMatchObject({
      articles: [{ title: 'Second', favorited: true, favoritesCount: 1 }],
      articlesCount: 1,
    })
    const none = await send('get', '/articles?author=unknown')
    expect(none.body).toEqual({ articles: [], articlesCount: 0 })
    for (const query of ['limit=0', 'limit=101', 'offset=-1', 'nope=1']) {
      await send('get', `/articles?${query}`, { status: 400 })
    }
    expect((await send('get', '/tags')).body.tags).toContain(tag)
  })

  it('feeds the articles of those one follows', async () => {
    const [ada, bob] = [await signUp(send), await signUp(send)]
    await publish(send, ada)
    const empty = await send('get', '/articles/feed', { as: bob })
    expect(empty.body).toEqual({ articles: [], articlesCount: 0 })
    await send('post', `/profiles/${ada.username}/follow`, { as: bob })
    const { body } = await send('get', '/articles/feed?limit=5', { as: bob })
    expect(body.articlesCount).toBe(1)
    expect(body.articles[0].author).toEqual({ username: ada.username, ...profile, following: true })
    await send('get', '/articles/feed', { status: 401 })
  })

  it('counts a favourite once', async () => {
    const [ada, bob] = [await signUp(send), await signUp(send)]
    const { slug, updatedAt } = await publish(send, ada)
    const path = `/articles/${slug}/favorite`
    await Promise.all([1, 2, 3].map(() => send('post', path, { as: bob })))
    const { body } = await send('get', `/articles/${slug}`, { as: bob })
    expect(body.article).toMatchObject({ favorited: true, favoritesCount: 1, updatedAt })
    const left = await send('delete', path, { as: bob })
    expect(left.body.article).toMatchObject({ favorited: false, favoritesCount: 0 })
    await send('post', '/articles/nope/favorite', { as: bob, status: 404 })
  })
}

function testComments(send: Send): void {
  it('keeps them when the title and so the slug of the article change', async () => {
    const ada = await signUp(send)
    const { slug } = await publish(send, ada)
    const add = { as: ada, body: { comment: { body: 'Here to stay' } }, status: 201 }
    const { body: added } = await send('post', `/articles/${slug}/comments`, add)
    const changes = { as: ada, body: { article: { title: 'Another title' } } }
    const { body: changed } = await send('put', `/articles/${slug}`, changes)
    const path = `/articles/${changed.article.slug}/comments`
    expect((await send('get', path)).body.comments).toEqual([added.comment])
    await send('delete', `/articles/${changed.article.slug}`, { as: ada, status: 204 })
    await send('get', path, { status: 404 })
  })

  it('adds, lists and removes comments with whole numbers as ids', async () => {
    const [ada, bob] = [await signUp(send), await signUp(send)]
    const path = `/articles/${(await publish(send, ada)).slug}/comments`
    const added = await Promise.all(
      [1, 2, 3].map((nth) =>
        send('post', path, { as: bob, body: { comment: { body: `No. ${nth}` } }, status: 201 }),
      ),
    )
    const ids: number[] = added.map(({ body }) => body.comment.id)
    expect(new Set(ids).size).toBe(3)
    expect(added[0]?.body.comment).toEqual({
      id: expect.any(Number),
      body: 'No. 1',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      author: { username: bob.username, ...profile },
    })
    const { body } = await send('get', path)
    expect(body.comments.map(({ id }: Body) => id)).toEqual(ids.toSorted((a, b) => b - a))
    await send('delete', `${path}/${ids[0]}`, { as: ada, status: 403 })
    const { slug: other } = await publish(send, bob)
    for (const as of [ada, bob]) {
      await send('delete', `/articles/${other}/comments/${ids[0]}`, { as, status: 404 })
      await send('delete', `/articles/nope/comments/${ids[0]}`, { as, status: 404 })
    }
    await send('delete', `${path}/${ids[0]}`, { as: bob, status: 204 })
    await send('delete', `${path}/${ids[0]}`, { as: bob, status: 404 })
    await send('delete', `${path}/x`, { as: bob, status: 404 })
    await send('post', path, { as: bob, body: { comment: {} }, status: 422 })
    await send('post', path, { body: { comment: { body: 'x' } }, status: 401 })
    await send('get', '/articles/nope/comments', { status: 404 })
  })
}
