import { createApi, createRegistry, type Logger } from '@create-api/core'
import { type Auth, type AuthOptions, type SecurityEvent } from '@create-api/core/auth'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { createSignIn, type SignInOptions } from '@create-api/sign-in'
import { type Express } from 'express'
import mongoose, { type Connection } from 'mongoose'
import { randomBytes } from 'node:crypto'
import { TOTP } from 'otpauth'
import request from 'supertest'
import { afterAll, beforeAll, beforeEach } from 'vitest'

export const password = 'TestRiver42!'
export const testSecret = randomBytes(32).toString('base64')

export interface Service {
  readonly app: Express
  readonly auth: Auth
  readonly events: SecurityEvent[]
  readonly mails: { kind: string; to: string; text: string; link?: string | undefined }[]
  /** Messages of the log above the level info. */
  readonly problems: string[]
}

export interface TestBed {
  readonly connection: () => Connection
  /** The clock of every service. */
  now: number
  /** Starts a service on the database, as another process would. */
  start: (signIn?: SignInOptions, auth?: Partial<AuthOptions>) => Promise<Service>
}

/** A database for the tests of a file, which is empty before each. */
export function createTestBed(): TestBed {
  let connection: Connection
  let stop: () => Promise<void>
  beforeAll(async () => {
    const server = await startEmbeddedMongo({ storage: { memory: true } })
    connection = await mongoose.createConnection(server.uri).asPromise()
    stop = async () => {
      await connection.close()
      await server.stop()
    }
  })
  afterAll(() => stop())
  beforeEach(async () => {
    bed.now = Date.now()
    const collections = await connection.listCollections()
    for (const { name } of collections) await connection.collection(name).deleteMany({})
  })
  const bed: TestBed = {
    connection: () => connection,
    now: 0,
    start: (signIn, options) => startService(bed, signIn, options),
  }
  return bed
}

async function startService(
  bed: TestBed,
  signIn: SignInOptions = {},
  options: Partial<AuthOptions> = {},
): Promise<Service> {
  const events: SecurityEvent[] = []
  const mails: Service['mails'] = []
  const problems: string[] = []
  const note = (_fields: object, message?: string): void => void problems.push(message ?? '')
  const logger: Logger = { debug() {}, info() {}, warn: note, error: note, fatal: note }
  const { auth, app } = createApi({
    name: 'blog',
    routes: createRegistry(),
    database: false,
    log: { logger },
    rateLimit: false,
    auth: {
      secrets: [testSecret],
      connection: bed.connection(),
      limits: false,
      now: () => bed.now,
      onEvent: (event) => events.push(event),
      mail: {
        appUrl: 'https://app.example.com',
        mailer: {
          async send(mail) {
            mails.push(mail)
          },
        },
      },
      signIn: createSignIn(signIn),
      ...options,
    },
  })
  if (!auth) throw new Error('auth is off')
  await auth.init()
  return { app, auth, events, mails, problems }
}

/** A user with an authenticator application. */
export interface EnrolledUser {
  readonly id: string
  readonly email: string
  readonly accessToken: string
  readonly secret: string
  readonly factorId: string
  readonly recoveryCodes: readonly string[]
}

export function codeOf(secret: string, now: number): string {
  return new TOTP({ secret }).generate({ timestamp: now })
}

export function post({ app }: Service, path: string, body: object, token?: string): request.Test {
  const call = request(app).post(`/api/v1/auth${path}`)
  if (token !== undefined) void call.set('Authorization', `Bearer ${token}`)
  return call.send(body)
}

export async function register(
  service: Service,
  email = 'ada@x.io',
): Promise<{ id: string; accessToken: string }> {
  const { body } = await post(service, '/register', { email, password }).expect(201)
  return { id: body.data.user.id, accessToken: body.data.accessToken }
}

/** Registers a user, and sets up a factor by the routes. The clock then moves to the next code. */
export async function enrol(
  bed: TestBed,
  service: Service,
  email = 'ada@x.io',
): Promise<EnrolledUser> {
  const { id, accessToken } = await register(service, email)
  const enrolled = await post(service, '/factors/totp', { name: 'Phone' }, accessToken).expect(201)
  const { id: factorId, secret } = enrolled.body.data
  const confirmed = await post(
    service,
    `/factors/${factorId}/confirm`,
    { code: codeOf(secret, bed.now) },
    accessToken,
  ).expect(200)
  bed.now += 30_000
  const { recoveryCodes } = confirmed.body.data
  return { id, email, accessToken, secret, factorId, recoveryCodes }
}

/** The first step of a login; returns the token for the second one. */
export async function beginLogin(service: Service, email = 'ada@x.io'): Promise<string> {
  const { body } = await post(service, '/login', { email, password }).expect(401)
  if (!String(body.code).startsWith('second_factor_')) throw new Error(JSON.stringify(body))
  return body.token
}
