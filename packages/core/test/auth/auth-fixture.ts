import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import express, { type Express } from 'express'
import mongoose, { type Connection } from 'mongoose'
import { randomBytes } from 'node:crypto'
import request from 'supertest'
import { type Logger } from '../../src/lib/logging/logger.ts'
import { errorHandler } from '../../src/lib/http/error-handler.ts'
import { type PasswordHasher } from '../../src/lib/auth/passwords/password-hasher.ts'
import { type AuthOptions } from '../../src/lib/auth/options/auth-options.ts'
import { type Auth, createAuth } from '../../src/lib/create-auth.ts'
import { type SecurityEvent } from '../../src/lib/auth/events/security-events.ts'

/** One database of one test file. */
export interface TestDatabase {
  readonly uri: string
  readonly connection: Connection
  /** Removes every document. */
  clear(): Promise<void>
  stop(): Promise<void>
}

/** Starts the embedded database, or connects to the server of `MONGODB_URI`. */
export async function startTestDatabase(): Promise<TestDatabase> {
  const server = process.env['MONGODB_URI']
  const started = server ? undefined : await startEmbeddedMongo({ storage: { memory: true } })
  const uri = server ?? started?.uri ?? ''
  const dbName = `auth_${randomBytes(6).toString('hex')}`
  const connection = await mongoose.createConnection(uri, { dbName }).asPromise()
  return {
    uri,
    connection,
    async clear() {
      await Promise.all(Object.values(connection.models).map((model) => model.deleteMany({})))
    },
    async stop() {
      await connection.dropDatabase()
      await connection.close()
      await started?.stop()
    },
  }
}

export const testSecret = randomBytes(32).toString('base64')
export const silent: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  fatal() {},
}

/** Saves the time of real hashes in tests that are about sessions. */
export const storedAsTyped: PasswordHasher = {
  hash: async (text) => text,
  verify: async (stored, text) => stored === text,
  needsRehash: () => false,
}

/** A service with authentication only. */
export interface TestService {
  readonly auth: Auth
  readonly app: Express
  readonly events: SecurityEvent[]
}

/** Creates a service on a database, as an existing Express app would. */
export async function createTestService(
  connection: Connection,
  options: Partial<AuthOptions> = {},
): Promise<TestService> {
  const events: SecurityEvent[] = []
  const auth = createAuth({
    secrets: [testSecret],
    connection,
    logger: silent,
    onEvent: (event) => events.push(event),
    limits: false,
    ...options,
  })
  await auth.init()
  const app = express()
  app.set('trust proxy', 1)
  app.use('/api/v1/auth', auth.router)
  app.use(errorHandler({ logger: silent }))
  return { auth, app, events }
}

/** The data of register, login and refresh-token. */
export interface Tokens {
  accessToken: string
  refreshToken: string
  user: { id: string; email: string; roles: string[] }
}

export const password = 'TestRiver42!'

/** The calls a client makes. */
export interface TestClient {
  post(path: string, body?: object, token?: string): request.Test
  get(path: string, token?: string): request.Test
  register(email: string, chosen?: string): Promise<Tokens>
  login(email: string, chosen?: string): Promise<Tokens>
  refresh(refreshToken: string): request.Test
  me(token: string): request.Test
}

/** Creates a client of a service. */
export function createClient(app: Parameters<typeof request>[0]): TestClient {
  const base = '/api/v1/auth'
  const client: TestClient = {
    post(path, body, token) {
      const call = request(app).post(base + path)
      if (token !== undefined) void call.set('Authorization', `Bearer ${token}`)
      return body === undefined ? call : call.send(body)
    },
    get(path, token) {
      const call = request(app).get(base + path)
      return token === undefined ? call : call.set('Authorization', `Bearer ${token}`)
    },
    async register(email, chosen = password) {
      return (await client.post('/register', { email, password: chosen }).expect(201)).body.data
    },
    async login(email, chosen = password) {
      return (await client.post('/login', { email, password: chosen }).expect(200)).body.data
    },
    refresh: (refreshToken) => client.post('/refresh-token', { refreshToken }),
    me: (token) => client.get('/me', token),
  }
  return client
}
