import { randomBytes } from 'node:crypto'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { hash } from 'bcryptjs'
import { type Express } from 'express'
import mongoose from 'mongoose'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from './app.ts'
import { CustomerModel } from './customers.ts'
import { OrderModel } from './orders.ts'

const database = await startEmbeddedMongo({ storage: { memory: true } })
await mongoose.connect(process.env.MONGODB_URI ?? database.uri, { dbName: 'existing_app_test' })
const password = 'correct horse battery staple'

let shop: Express

beforeAll(async () => {
  shop = await createApp(randomBytes(32).toString('base64url'))
  await OrderModel.collection.insertOne({ _id: 4711 as never, item: 'old', owner: 'x' })
})

afterAll(async () => {
  await mongoose.connection.dropDatabase()
  await mongoose.disconnect()
  await database.stop()
})

/** Stores a customer as the shop did until now. */
async function insertCustomer(mail: string): Promise<void> {
  await CustomerModel.create({ mail, password: await hash(password, 4), name: 'Ada <3' })
}

async function hashOf(mail: string): Promise<string> {
  return (await CustomerModel.findOne({ mail }).orFail()).password
}

function logInToPages(agent: ReturnType<typeof request.agent>, mail: string, typed = password) {
  return agent.post('/login').type('form').send({ mail, password: typed })
}

async function logInToApi(mail: string): Promise<{ Authorization: string }> {
  const body = { email: mail, password }
  const response = await request(shop).post('/api/v1/auth/login').send(body).expect(200)
  return { Authorization: `Bearer ${response.body.data.accessToken}` }
}

describe('the customers of the shop', () => {
  it('log in at the API with their bcrypt hash, which becomes argon2id', async () => {
    await insertCustomer('ada@example.org')
    expect(await hashOf('ada@example.org')).toMatch(/^\$2b\$/)
    const wrong = { email: 'ada@example.org', password: 'wrong wrong wrong' }
    await request(shop).post('/api/v1/auth/login').send(wrong).expect(401)
    expect(await hashOf('ada@example.org')).toMatch(/^\$2b\$/)
    const headers = await logInToApi('ada@example.org')
    expect(await hashOf('ada@example.org')).toMatch(/^\$argon2id\$/)
    const me = await request(shop).get('/api/v1/auth/me').set(headers).expect(200)
    expect(me.body.data).toMatchObject({ email: 'ada@example.org', name: 'Ada <3' })
    await logInToApi('ada@example.org')
  })

  it('log in at the pages with either hash', async () => {
    await insertCustomer('bob@example.org')
    for (const form of [/^\$2b\$/, /^\$argon2id\$/]) {
      expect(await hashOf('bob@example.org')).toMatch(form)
      const agent = request.agent(shop)
      await agent.get('/account').expect(401, { ok: false, message: 'log in first' })
      await logInToPages(agent, 'bob@example.org', 'wrong').expect(401)
      await logInToPages(agent, 'Bob@example.org').expect(302)
      const page = await agent.get('/account').expect(200)
      expect(page.text).toContain('Ada &#60;3')
      await logInToApi('bob@example.org')
    }
  })

  it('register at the API and log in at the pages', async () => {
    const body = { email: 'eve@example.org', password, name: 'Eve' }
    await request(shop).post('/api/v1/auth/register').send(body).expect(201)
    const again = await request(shop).post('/api/v1/auth/register').send(body).expect(409)
    expect(again.body).toEqual({ ok: false, message: 'The e-mail address is already registered.' })
    await logInToPages(request.agent(shop), 'eve@example.org').expect(302)
  })

  it('that are blocked get in nowhere', async () => {
    await insertCustomer('kim@example.org')
    const headers = await logInToApi('kim@example.org')
    await CustomerModel.updateOne({ mail: 'kim@example.org' }, { blocked: true })
    await request(shop).get('/api/notes').set(headers).expect(401)
    await logInToPages(request.agent(shop), 'kim@example.org').expect(401)
  })
})

describe('old and new routes side by side', () => {
  it('serve the same notes', async () => {
    await insertCustomer('nina@example.org')
    const pages = request.agent(shop)
    await logInToPages(pages, 'nina@example.org').expect(302)
    const { body } = await pages.post('/account/token').expect(200)
    const headers = { Authorization: `Bearer ${body.token}` }

    const old = await pages.post('/shop/notes').send({ text: 'from a page' }).expect(201)
    const created = await request(shop)
      .post('/api/notes')
      .set(headers)
      .send({ text: 'new' })
      .expect(201)
    const texts = ['new', 'from a page']
    const list = await request(shop).get('/api/notes').set(headers).expect(200)
    expect(list.body.data.map(({ text }: { text: string }) => text)).toEqual(texts)
    expect(list.body.meta).toEqual({ page: 1, limit: 20, total: 2, pages: 1 })
    await pages.get('/shop/notes').expect(200, {
      ok: true,
      notes: [
        { id: created.body.data.id, text: 'new' },
        { id: old.body.note, text: 'from a page' },
      ],
    })
    const others = await request(shop)
      .get('/api/notes')
      .set(await logInToApi('ada@example.org'))
    expect(others.body.data).toEqual([])
  })

  it('number orders in one sequence, after those that were there', async () => {
    await insertCustomer('olga@example.org')
    const pages = request.agent(shop)
    await logInToPages(pages, 'olga@example.org').expect(302)
    const headers = await logInToApi('olga@example.org')
    const old = await pages.post('/shop/orders').send({ item: 'tea' }).expect(201)
    expect(old.body).toEqual({ ok: true, number: 4712 })
    const created = await request(shop).post('/api/orders').set(headers).send({ item: 'cup' })
    expect(created.headers['location']).toBe('/api/orders/4713')
    await request(shop)
      .get('/api/orders/4712')
      .set(headers)
      .expect(200, { data: { id: 4712, item: 'tea' } })
    await request(shop).get('/api/orders/4711').set(headers).expect(404)
    const list = await request(shop).get('/api/orders?offset=1&limit=1').set(headers).expect(200)
    expect(list.body).toEqual({
      data: [{ id: 4712, item: 'tea' }],
      meta: { limit: 1, offset: 1, total: 2 },
    })
    const orders = await pages.get('/shop/orders').expect(200)
    expect(orders.body.orders).toHaveLength(2)
  })

  it('have the same form of errors', async () => {
    const pages = request.agent(shop)
    await logInToPages(pages, 'olga@example.org').expect(302)
    const headers = await logInToApi('olga@example.org')
    await pages.post('/shop/notes').send({}).expect(400, { ok: false, message: 'text is missing' })
    await pages.post('/shop/notes').type('json').send('{"a":').expect(400)
    await request(shop).get('/nowhere').expect(404)
    const invalid = await request(shop)
      .post('/api/notes')
      .set(headers)
      .send({ text: '' })
      .expect(422)
    expect(invalid.body).toEqual({ ok: false, message: '1 field is not valid.', fields: ['text'] })
    await request(shop)
      .get('/api/notes')
      .expect(401, { ok: false, message: 'Authentication is required.' })
    expect((await request(shop).get('/').expect(200)).text).toContain('The shop')
  })

  it('describe what has moved', async () => {
    const { body } = await request(shop).get('/openapi.json').expect(200)
    const paths = Object.keys(body.paths).filter((path) => !path.includes('auth'))
    expect(paths).toEqual(['/api/notes', '/api/orders', '/api/orders/{id}'])
    expect(Object.keys(body.components.schemas['Error'].properties)).toEqual([
      'ok',
      'message',
      'fields',
    ])
  })
})

describe('the move of one resource after the other', () => {
  it.each([
    [[], [404, 404]],
    [['notes'], [401, 404]],
    [
      ['notes', 'orders'],
      [401, 401],
    ],
  ] as const)('with %j moved, the old routes all work', async (moved, statuses) => {
    const app = await createApp(randomBytes(32).toString('base64url'), moved)
    const found = [await request(app).get('/api/notes'), await request(app).get('/api/orders')]
    expect(found.map(({ status }) => status)).toEqual(statuses)
    const pages = request.agent(app)
    await logInToPages(pages, 'olga@example.org').expect(302)
    await pages.get('/shop/notes').expect(200)
    await pages.get('/shop/orders').expect(200)
  })
})
