import { ApiError } from '../errors/api-error.ts'
import { type AuthContext } from './auth-context.ts'
import { type AuthGrant, createGrant } from './grant.ts'
import { type RequestFacts } from './request-facts.ts'
import { toEmailHash } from './security-events.ts'
import { toUserView } from './user-view.ts'
import { type Credentials, type StoredUser } from './user-store.ts'

/** What registration takes, parsed. */
export interface RegisterInput {
  /** Canonical e-mail address. */
  email: string
  /** Normalised password. */
  password: string
  /**
   * What the user may do; no request can set it.
   * @default 'user'
   */
  role?: string | undefined
  /**
   * The application's own fields.
   * @default {}
   */
  fields?: Readonly<Record<string, unknown>> | undefined
}

/** What a login takes, parsed. */
export interface LoginInput {
  /** Canonical e-mail address. */
  email: string
  /** Normalised password. */
  password: string
}

/**
 * Registers a user and opens the first session.
 * @param context - the parts of authentication
 * @param input - address, password and own fields
 * @param facts - of the request
 * @returns user and tokens
 * @throws ApiError `password_too_common`, `email_taken` or `overloaded`
 */
export async function register(
  context: AuthContext,
  input: RegisterInput,
  facts: RequestFacts,
): Promise<AuthGrant> {
  const user = await createUser(context, input, facts)
  return openSession(context, user, facts)
}

/**
 * Registers a user, or does as much for an address that is registered already: what follows is
 * told by mail.
 * @param context - the parts of authentication
 * @param input - address, password and own fields
 * @param facts - of the request
 * @throws ApiError `password_too_common` or `overloaded`
 */
export async function registerHidden(
  context: AuthContext,
  input: RegisterInput,
  facts: RequestFacts,
): Promise<void> {
  try {
    const user = await addUser(context, input, facts)
    // Not waited for: there is none for an address that is taken, and its time would tell.
    void context.hooks.after('Register', toUserView(user), facts)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'email_taken') throw error
    const find = async (): Promise<StoredUser | undefined> =>
      (await context.users.findCredentials(input.email))?.user
    context.mail?.deliver('already-registered', input.email, find)
  }
}

/**
 * Keeps a new user without opening a session; for `api users create` too.
 * @param context - the parts of authentication
 * @param input - address, password, role and own fields
 * @param facts - of the request
 * @returns the user
 * @throws ApiError `password_too_common`, `email_taken` or `overloaded`
 */
export async function createUser(
  context: AuthContext,
  input: RegisterInput,
  facts: RequestFacts,
): Promise<StoredUser> {
  const user = await addUser(context, input, facts)
  await context.hooks.after('Register', toUserView(user), facts)
  return user
}

async function addUser(
  context: AuthContext,
  input: RegisterInput,
  facts: RequestFacts,
): Promise<StoredUser> {
  const { users, hasher, policy, events, hooks, mail } = context
  const { email, password, role, fields = {} } = input
  await policy.requireUncommon(password, { email, pointer: '#/password' })
  await hooks.before('Register', { email, fields }, facts)
  const passwordHash = await hasher.hash(password)
  const user = await users.create({ email, passwordHash, role, fields })
  events.emit('auth.registered', facts, { userId: user.id })
  mail?.deliver('verify-email', email, async () => user)
  return user
}

/**
 * Signs a user in. An unknown address, a wrong password and a disabled account are told apart
 * neither by the answer nor by its time.
 * @param context - the parts of authentication
 * @param input - address and password
 * @param facts - of the request
 * @returns user and tokens
 * @throws ApiError `invalid_credentials`, `rate_limited` or `overloaded`
 */
export async function login(
  context: AuthContext,
  input: LoginInput,
  facts: RequestFacts,
): Promise<AuthGrant> {
  const { users, hasher, events, hooks } = context
  hasher.requirePlace?.()
  const credentials = await users.findCredentials(input.email)
  const user = await requirePassword(context, { credentials, ...input }, facts)
  if (!user) {
    events.emit('auth.login_failed', facts, { emailHash: toEmailHash(input.email) })
    throw new ApiError('invalid_credentials')
  }
  await hooks.before('Login', toUserView(user), facts)
  const grant = await openSession(context, user, facts)
  events.emit('auth.login_succeeded', facts, { userId: user.id })
  await hooks.after('Login', grant.user, facts)
  return grant
}

/**
 * Removes a user, then the sessions: a login that overlaps finds the user gone, or its session is
 * among those removed.
 * @param context - the parts of authentication
 * @param id - of the user
 * @returns false when there is none
 */
export async function removeUser(context: AuthContext, id: string): Promise<boolean> {
  const { users, sessions, mail } = context
  const removed = await users.remove(id)
  await sessions.removeAll(id)
  await mail?.tokens.removeAll(id)
  return removed
}

interface Attempt extends LoginInput {
  credentials: Credentials | undefined
}

async function requirePassword(
  context: AuthContext,
  { credentials, email, password }: Attempt,
  facts: RequestFacts,
): Promise<StoredUser | undefined> {
  const { throttle, hasher } = context
  const lane = await chooseLane(context, { credentials, email, password }, facts)
  // Asked again when the turn has come: many guesses may have waited in the same queue.
  const guard = (): Promise<void> => throttle.requireOpen(lane)
  const matches = await hasher.verify(credentials?.passwordHash, password, guard)
  if (!matches || !credentials || credentials.user.disabled) {
    await throttle.fail(lane)
    return undefined
  }
  await throttle.clear(lane)
  await upgradeHash(context, credentials, password)
  return credentials.user
}

// An account under attack is throttled for everyone but those who use it already: whoever comes
// from the address of one of its live sessions has failures of his own. So nobody can shut a user
// out by guessing.
async function chooseLane(
  { throttle, sessions, events }: AuthContext,
  { credentials, email }: Attempt,
  facts: RequestFacts,
): Promise<string> {
  try {
    await throttle.requireOpen(email)
    return email
  } catch (error) {
    // Asked for an unknown address too: the time of a refusal must not tell.
    const live = await sessions.list(credentials?.user.id ?? 'nobody')
    if (facts.address !== undefined && live.some(({ address }) => address === facts.address)) {
      return `${email} ${facts.address}`
    }
    events.emit('auth.login_throttled', facts, { emailHash: toEmailHash(email) })
    throw error
  }
}

async function upgradeHash(
  { hasher, users }: AuthContext,
  { user, passwordHash }: Credentials,
  password: string,
): Promise<void> {
  if (passwordHash === undefined || !hasher.needsRehash(passwordHash)) return
  try {
    // Only if it is still the same: the password may have been changed meanwhile.
    await users.update(user.id, { passwordHash: await hasher.hash(password) }, { passwordHash })
  } catch (error) {
    // No turn for another hash now: the next login will do.
    if (!(error instanceof ApiError) || error.code !== 'overloaded') throw error
  }
}

async function openSession(
  context: AuthContext,
  user: StoredUser,
  facts: RequestFacts,
): Promise<AuthGrant> {
  const { sessions, users } = context
  const session = await sessions.create(user.id, facts)
  // Looked at again behind the session: a user removed meanwhile must leave none.
  const current = await users.findById(user.id)
  if (!current || current.disabled) {
    await sessions.removeAll(user.id)
    throw new ApiError('invalid_credentials')
  }
  return createGrant(context, current, session)
}
