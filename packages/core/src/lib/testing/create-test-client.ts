import { randomBytes } from 'node:crypto'
import type supertest from 'supertest'
import { type Api } from '../create-api.ts'
import { type Role, type User } from '../access/caller.ts'
import { loadOptional } from '../runtime/optional-package.ts'
import { createCaller, type TestCaller } from './create-caller.ts'
import { createSampleFields } from './sample-fields.ts'

/** A signed-up test user with its tokens. */
export interface TestUser {
  /** The user, as in responses. */
  readonly user: User
  /** Access token. */
  readonly accessToken: string
  /** Refresh token. */
  readonly refreshToken: string
  /** Header fields to send: `.set(user.headers)`. */
  readonly headers: { readonly Authorization: string }
}

/** An API key of a test user. */
export interface TestKey {
  /** Id of the key. */
  readonly id: string
  /** The key itself. */
  readonly key: string
  /** Header fields to send: `.set(key.headers)`. */
  readonly headers: { readonly Authorization: string }
}

/** Options for `signUp` of {@link TestClient}. */
export interface SignUpOptions {
  /**
   * E-mail address.
   * @default a new address for each user
   */
  email?: string | undefined
  /**
   * Roles of the user.
   * @default []
   */
  roles?: readonly Role[] | undefined
  /**
   * The application's own fields of the user.
   * @default for required ones a value that the schema accepts
   */
  fields?: Readonly<Record<string, unknown>> | undefined
}

/** Options for {@link createTestClient}. */
export interface TestClientOptions {
  /**
   * Creates the application's own fields of each user, where `signUp` finds no value that their schemas
   * accept. `unique` is different for each user.
   * @default {}
   */
  fields?: ((unique: string) => Readonly<Record<string, unknown>>) | undefined
}

/** A started API with helpers for tests. */
export interface TestClient {
  /** supertest, over real HTTP: `client.request.get('/api/posts').expect(200)`. */
  readonly request: ReturnType<typeof supertest>
  /** URL of the API. */
  readonly url: string
  /**
   * Creates a user with a session, without the rate limits.
   * @param options - e-mail address, roles and own fields
   * @returns the user with its tokens
   * @throws Error for a required field for which no value was found
   */
  signUp(options?: SignUpOptions): Promise<TestUser>
  /**
   * Creates a caller whom the routes of a path admit, by their declared access: a user with the roles and permissions that they name, in a
   * new organization if they need one. Where all of them are public, the caller sends no token.
   * @param path - path of the routes, and of those about one document below it: `'/api/posts'`
   * @returns the caller
   * @throws TypeError for a path that no route has
   * @throws Error for routes that need a user, when authentication is disabled
   */
  createCaller(path: string): Promise<TestCaller>
  /**
   * Creates an API key; needs `auth.apiKeys`.
   * @param owner - the user that the key acts for
   * @param scopes - roles and permissions of the owner, and `user` for what every user may do
   * @returns the key
   * @throws ApiError `validation_failed` for a scope that the owner cannot grant
   */
  createKey(owner: Pick<TestUser, 'user'>, scopes: readonly string[]): Promise<TestKey>
  /** Drops the test's database and stops the API. */
  stop(): Promise<void>
}

/**
 * Starts an API for tests on a free port with a new database, in memory or on the server of
 * `MONGODB_URI`.
 * @param api - an API created by `createApi`
 * @param clientOptions - fields of the users that `signUp` creates
 * @returns the test client
 * @throws Error when the package `supertest` is not installed
 * @example
 * ```ts
 * const client = await createTestClient(api)
 * const { headers } = await client.signUp({ roles: ['admin'] })
 * await client.request.get('/api/v1/auth/me').set(headers).expect(200)
 * await client.stop()
 * ```
 */
export async function createTestClient(
  api: Api,
  clientOptions: TestClientOptions = {},
): Promise<TestClient> {
  const request = loadSupertest()
  const databaseName = `test_${randomBytes(6).toString('hex')}`
  const { url, database } = await api.start({ port: 0, databaseName, signals: false })
  const place = {
    api,
    connection: database?.connection,
    signUp: (options: SignUpOptions) => signUp(api, clientOptions, options),
    toRequest: (headers: TestCaller['headers']) => request.agent(url).set(headers),
  }
  return {
    request: request(url),
    url,
    signUp: (options) => signUp(api, clientOptions, options),
    createCaller: (path) => createCaller(place, path),
    createKey: (owner, scopes) => createKey(api, owner, scopes),
    async stop() {
      try {
        await database?.connection.dropDatabase()
      } finally {
        await api.stop()
      }
    },
  }
}

function loadSupertest(): typeof supertest {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of the package
  return loadOptional('supertest', 'The test client needs', ['supertest']) as typeof supertest
}

async function signUp(
  api: Api,
  { fields: createFields }: TestClientOptions,
  options: SignUpOptions = {},
): Promise<TestUser> {
  if (!api.auth) throw new Error('signUp() needs authentication, which is disabled in this API.')
  const suffix = randomBytes(6).toString('hex')
  const { email = `user-${suffix}@example.org`, roles = [] } = options
  const given = { ...createFields?.(suffix), ...options.fields }
  const fields = createSampleFields(api.auth.schemas.fields, given, suffix)
  const password = `password of ${suffix}`
  const created = await api.auth.createUser({ email, password, roles, fields })
  const { accessToken, refreshToken, tokenType, user } = await api.auth.issueTokens(
    created,
    undefined,
    { multiFactor: true },
  )
  return {
    user,
    accessToken,
    refreshToken,
    headers: { Authorization: `${tokenType} ${accessToken}` },
  }
}

async function createKey(
  api: Api,
  { user }: Pick<TestUser, 'user'>,
  scopes: readonly string[],
): Promise<TestKey> {
  if (!api.auth) throw new Error('createKey() needs authentication, which is disabled in this API.')
  const { apiKeys, authenticate } = api.auth
  const { id, key } = await apiKeys.create(user.id, { name: 'test', scopes })
  const [scheme = 'Bearer'] = authenticate.schemes ?? []
  return { id, key, headers: { Authorization: `${scheme} ${key}` } }
}
