import { randomBytes } from 'node:crypto'
import supertest from 'supertest'
import { type Api } from '../create-api.ts'
import { type User } from '../routing/caller.ts'

/** What a signed-up user of a test has. */
export interface TestUser {
  readonly user: User
  readonly accessToken: string
  readonly refreshToken: string
  /** Header fields to send: `.set(user.headers)`. */
  readonly headers: { readonly Authorization: string }
}

/** Options for {@link TestClient.signUp}. */
export interface SignUpOptions {
  /**
   * E-mail address.
   * @default a new one for each user
   */
  email?: string | undefined
  /**
   * Role of the user.
   * @default 'user'
   */
  role?: User['role'] | undefined
}

/** A started API and what tests need of it. */
export interface TestClient {
  /** supertest, over real HTTP: `client.request.get('/api/posts').expect(200)`. */
  readonly request: ReturnType<typeof supertest>
  /** Address of the API. */
  readonly url: string
  /**
   * Makes a user with a session, past the rate limits.
   * @param options - address and role
   */
  signUp(options?: SignUpOptions): Promise<TestUser>
  /** Drops the test's database and stops the API. */
  stop(): Promise<void>
}

/**
 * Starts an API for tests on a free port, with a database of its own: in memory, or on the server
 * that `MONGODB_URI` names.
 * @param api - made by `createApi`
 * @returns the client
 */
export async function createTestClient(api: Api): Promise<TestClient> {
  const databaseName = `test_${randomBytes(6).toString('hex')}`
  const { url, database } = await api.start({ port: 0, databaseName, signals: false })
  return {
    request: supertest(url),
    url,
    signUp: (options) => signUp(api, options),
    async stop() {
      await database?.connection.dropDatabase()
      await api.stop()
    },
  }
}

async function signUp(api: Api, options: SignUpOptions = {}): Promise<TestUser> {
  if (!api.auth) throw new Error('signUp() needs authentication, which this API has switched off.')
  const suffix = randomBytes(6).toString('hex')
  const { email = `user-${suffix}@example.org`, role = 'user' } = options
  const grant = await api.auth.register({ email, password: `password of ${suffix}` })
  const { accessToken, refreshToken, tokenType } = grant
  if (role !== 'user') await api.auth.users.update(grant.user.id, { role })
  return {
    user: { ...grant.user, role },
    accessToken,
    refreshToken,
    headers: { Authorization: `${tokenType} ${accessToken}` },
  }
}
