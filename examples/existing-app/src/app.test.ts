import { randomBytes } from 'node:crypto'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose from 'mongoose'
import request from 'supertest'
import { afterAll, describe, expect, it } from 'vitest'
import { createApp } from './app.ts'

const database = await startEmbeddedMongo({ storage: { memory: true } })
await mongoose.connect(process.env.MONGODB_URI ?? database.uri, { dbName: 'existing_app_test' })
const agent = request(await createApp(randomBytes(32).toString('base64url')))

afterAll(async () => {
  await mongoose.connection.dropDatabase()
  await mongoose.disconnect()
  await database.stop()
})

async function register(email: string): Promise<string> {
  const body = { email, password: 'correct horse battery staple' }
  const response = await agent.post('/api/v1/auth/register').send(body).expect(201)
  return `Bearer ${response.body.data.accessToken}`
}

describe('examples/existing-app', () => {
  it('keeps its own routes and its own errors', async () => {
    await agent.get('/shop/ping').expect(200, { pong: true })
    await agent.post('/shop/orders').send({ item: 'x' }).expect(201, { ordered: 'x' })
    await agent.post('/shop/orders').send({}).expect(418, { ok: false, message: 'item is missing' })
    await agent.post('/shop/orders').type('json').send('{"a":').expect(400)
  })

  it('has the indexes of authentication before its first request', async () => {
    const indexes = await mongoose.connection.collection('users').indexes()
    expect(indexes.map(({ name }) => name)).toContain('email_1')
  })

  it('registers and recognises users beside them', async () => {
    const token = await register('ada@example.org')
    const me = await agent.get('/api/v1/auth/me').set('Authorization', token).expect(200)
    expect(me.body.data.email).toBe('ada@example.org')
  })

  it('serves a resource whose documents belong to their users', async () => {
    const bob = await register('bob@example.org')
    const eve = await register('eve@example.org')
    await agent.get('/api/notes').expect(401)
    await agent.post('/api/notes').set('Authorization', bob).send({ text: 'mine' }).expect(201)
    const own = await agent.get('/api/notes').set('Authorization', bob).expect(200)
    expect(own.body.data).toMatchObject([{ text: 'mine' }])
    expect(Object.keys(own.body.data[0])).toEqual(['id', 'text'])
    await agent.get('/api/notes').set('Authorization', eve).expect(200, { data: [] })
  })

  it('returns problem documents on the routes of the framework', async () => {
    const token = await register('kim@example.org')
    const response = await agent.post('/api/notes').set('Authorization', token).send({ text: '' })
    expect(response.status).toBe(422)
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(response.body.errors).toMatchObject([{ pointer: '#/text' }])
  })
})
