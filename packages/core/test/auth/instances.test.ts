import express from 'express'
import mongoose, { Schema } from 'mongoose'
import request from 'supertest'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AuthOptions } from '../../src/lib/auth/options/auth-options.ts'
import { createAuth } from '../../src/lib/create-auth.ts'
import { errorHandler } from '../../src/lib/http/error-handler.ts'
import {
  createClient,
  createTestService,
  password,
  silent,
  startTestDatabase,
  type TestClient,
  type TestDatabase,
  testSecret,
} from './auth-fixture.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await startTestDatabase()
})
beforeEach(() => database.clear())
afterAll(() => database.stop())

async function create(options: Partial<AuthOptions>): Promise<TestClient> {
  return createClient((await createTestService(database.connection, options)).app)
}

describe('createAuth in an existing Express app', () => {
  it.each([
    ['before its body parser', false],
    ['after its body parser', true],
  ])('works %s, and twice', async (_, parsed) => {
    const app = express()
    if (parsed) app.use(express.json())
    for (const prefix of ['/auth', '/admin/auth']) {
      const secrets = [Buffer.alloc(32, prefix).toString('base64')]
      const auth = createAuth({ secrets, connection: database.connection, logger: silent })
      await auth.init()
      app.use(prefix, auth.router)
    }
    if (!parsed) app.use(express.json())
    app.use(errorHandler({ logger: silent }))
    const first = await request(app).post('/auth/register').send({ email: 'ada@x.io', password })
    expect(first.status).toBe(201)
    const second = await request(app)
      .post('/admin/auth/login')
      .send({ email: 'ada@x.io', password })
    expect(second.status).toBe(200)
    const me = (prefix: string, token: string): request.Test =>
      request(app).get(`${prefix}/me`).set('Authorization', `Bearer ${token}`)
    await me('/auth', first.body.data.accessToken).expect(200)
    await me('/admin/auth', first.body.data.accessToken).expect(401)
  })
})

describe('several instances, and an application with its own models', () => {
  it('keep users, sessions and tokens apart by prefix and by database', async () => {
    const places = [
      { modelPrefix: 'Staff' },
      { modelPrefix: 'Guest' },
      { connection: database.connection.useDb(`${database.connection.name}_other`) },
    ]
    const clients = await Promise.all(
      places.map((place, index) =>
        create({ secrets: [Buffer.alloc(32, `place ${index}`).toString('base64')], ...place }),
      ),
    )
    const grants = await Promise.all(clients.map((client) => client.register('ada@x.io')))
    for (const [index, client] of clients.entries()) {
      for (const [other, { accessToken, refreshToken }] of grants.entries()) {
        if (other === index) await client.me(accessToken).expect(200)
        else {
          await client.me(accessToken).expect(401)
          expect((await client.refresh(refreshToken)).body.code).toBe('invalid_token')
        }
      }
    }
    const { db } = database.connection
    expect(await db?.collection('staffusers').countDocuments()).toBe(1)
    expect(await db?.collection('guestusers').indexExists('email_1')).toBe(true)
    await places[2]?.connection?.dropDatabase()
  })

  it('TOK-06 share nothing when they share secrets but not the audience', async () => {
    const [staff, guests] = await Promise.all([
      create({ modelPrefix: 'Staff', audience: 'staff' }),
      create({ modelPrefix: 'Guest', audience: 'guests' }),
    ])
    const { accessToken, refreshToken } = await staff.register('ada@x.io')
    await guests.me(accessToken).expect(401)
    expect((await guests.refresh(refreshToken)).body.code).toBe('invalid_token')
    await staff.refresh(refreshToken).expect(200)
  })

  it('never use a model of the application', async () => {
    const connection = database.connection.useDb(`${database.connection.name}_app`)
    connection.model('User', new Schema({ email: String, name: String }))
    const options = { secrets: [testSecret], connection, logger: silent }
    expect(() => createAuth(options).router).toThrow(
      "The model User on this connection is the application's own. Give the models of authentication a prefix: modelPrefix: 'Auth'.",
    )
    const auth = createAuth({ ...options, modelPrefix: 'Auth' })
    await auth.init()
    expect((await auth.register({ email: 'ada@x.io', password })).user.email).toBe('ada@x.io')
    const userFields = { model: { name: String } }
    expect(() => createAuth({ ...options, modelPrefix: 'Auth', userFields }).router).toThrow(
      'The model AuthUser on this connection was created without name by another instance',
    )
    await connection.dropDatabase()
  })

  it('LOG-04 build their indexes also where autoIndex is off', async () => {
    const connection = await mongoose
      .createConnection(database.uri, { dbName: `${database.connection.name}_x`, autoIndex: false })
      .asPromise()
    const auth = createAuth({ secrets: [testSecret], connection, logger: silent })
    await auth.init()
    expect(await connection.collection('users').indexExists('email_1')).toBe(true)
    await connection.dropDatabase()
    await connection.close()
  })
})
