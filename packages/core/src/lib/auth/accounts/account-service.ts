import { ApiError } from '../../errors/api-error.ts'
import { endRemoved } from './end-user.ts'
import { type SignInParts } from '../sign-in/sign-in.ts'
import { type ApiKeyStore } from '../api-keys/api-key-store.ts'
import { type HookRunner } from '../events/hooks.ts'
import { type AuthGrant, createGrant, type GrantDependencies } from '../sessions/grant.ts'
import { createTakenError, toThrottleKey } from '../users/identifier.ts'
import { type RequestFacts } from '../events/request-facts.ts'
import { toEmailHash } from '../events/security-events.ts'
import { type PasswordDependencies } from './password-service.ts'
import { modifyUser, reportRoles, requireRoles, type RoleDependencies } from './user-roles.ts'
import { type Credentials, type NewUser, type StoredUser } from '../users/user-store.ts'

/** The input of a registration. */
export interface RegisterInput {
  /** E-mail address. */
  email: string
  /** The password that the user chose. */
  password: string
  /**
   * The application's own fields.
   * @default {}
   */
  fields?: Readonly<Record<string, unknown>> | undefined
}

/** A user that the application creates itself. */
export interface CreateUserInput extends RegisterInput {
  /**
   * Roles of the user; no registration can set them.
   * @default []
   */
  roles?: readonly string[] | undefined
}

/** The input of a login: the password, and the `email` or another `identifier`. */
export interface LoginInput {
  /** Password. */
  readonly password: string
  /** E-mail address, or the own field that `identifier` names. */
  readonly [identifier: string]: string
}

interface LoginAttempt {
  /** Canonical value of the identifier. */
  readonly value: string
  /** Normalised. */
  readonly password: string
}

export interface AccountDependencies
  extends GrantDependencies, PasswordDependencies, RoleDependencies {
  readonly settings: GrantDependencies['settings'] &
    PasswordDependencies['settings'] &
    RoleDependencies['settings']
  /** Undefined when there are no API keys. */
  readonly apiKeys: { readonly store: ApiKeyStore } | undefined
  readonly hooks: HookRunner
  /** Undefined when the password is the only way to log in. */
  readonly signIn:
    | Pick<SignInParts, 'beforeSession' | 'endLogins' | 'removeUser' | 'removeWays'>
    | undefined
}

// Registers a user and opens the first session. Throws ApiError `password_too_common`, `email_taken`
// or `overloaded`.
export async function register(
  dependencies: AccountDependencies,
  input: RegisterInput,
  facts: RequestFacts,
): Promise<AuthGrant> {
  const user = await createUser(dependencies, input, facts)
  return openSession(dependencies, user, facts)
}

// Does the same work whether or not the address is registered; the user learns the rest by e-mail.
// Throws ApiError `password_too_common`, `overloaded` or, for another identifier, `<identifier>_taken`.
export async function registerHidden(
  dependencies: AccountDependencies,
  input: RegisterInput,
  facts: RequestFacts,
): Promise<void> {
  await requireFreeIdentifier(dependencies, input)
  try {
    const user = await addUser(dependencies, input, facts)
    // Not awaited: it does not run for a taken address, and its time would reveal that.
    void dependencies.hooks.after('Register', dependencies.toUserView(user), facts)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'email_taken') throw error
    const find = async (): Promise<StoredUser | undefined> =>
      (await dependencies.users.findCredentials(input.email))?.user
    dependencies.mail?.deliver('already-registered', input.email, find)
  }
}

// A taken name must be reported: no e-mail can tell which one to choose. Checked beforehand, because the
// database reports only one of two taken values, and so whether the address is the other one.
async function requireFreeIdentifier(
  { settings: { identifier }, users }: AccountDependencies,
  { fields = {} }: RegisterInput,
): Promise<void> {
  if (identifier === 'email' || !Object.hasOwn(fields, identifier)) return
  const taken = await users.findCredentials(String(fields[identifier]), identifier)
  if (taken) throw createTakenError(identifier, undefined)
}

// Creates a user without opening a session; also for `api users create`. Throws ApiError
// `password_too_common`, `email_taken` or `overloaded`.
export async function createUser(
  dependencies: AccountDependencies,
  input: CreateUserInput,
  facts: RequestFacts,
): Promise<StoredUser> {
  const user = await addUser(dependencies, input, facts)
  await dependencies.hooks.after('Register', dependencies.toUserView(user), facts)
  return user
}

// Creates a user whose address was verified elsewhere. Throws ApiError `email_taken`.
export async function registerVerified(
  { events, hooks, toUserView, users }: AccountDependencies,
  { fields = {}, ...input }: NewUser,
  facts: RequestFacts,
): Promise<StoredUser> {
  await hooks.before('Register', { email: input.email, fields }, facts)
  const created = await users.create({ ...input, fields })
  await users.update(created.id, { emailVerified: true })
  const user = { ...created, emailVerified: true }
  events.emit('auth.registered', facts, { userId: user.id })
  await hooks.after('Register', toUserView(user), facts)
  return user
}

async function addUser(
  dependencies: AccountDependencies,
  { email, password, roles, fields = {} }: CreateUserInput,
  facts: RequestFacts,
): Promise<StoredUser> {
  const { users, hasher, policy, events, hooks, mail } = dependencies
  requireRoles(dependencies, roles, '#/roles')
  await policy.requireUncommon(password, email, '#/password')
  await hooks.before('Register', { email, fields }, facts)
  const passwordHash = await hasher.hash(password)
  const user = await users.create({ email, passwordHash, roles, fields })
  events.emit('auth.registered', facts, { userId: user.id })
  reportRoles(dependencies, user.id, { before: [], after: user.roles }, facts)
  mail?.deliver('verify-email', email, async () => user)
  return user
}

// An unknown address, a wrong password and a disabled account differ neither in the response nor in
// its time. Throws ApiError `invalid_credentials`, `rate_limited` or `overloaded`.
export async function login(
  dependencies: AccountDependencies,
  { password, ...input }: Readonly<Record<string, unknown>>,
  facts: RequestFacts,
): Promise<AuthGrant> {
  const { users, hasher, events, hooks, settings, signIn } = dependencies
  const { identifier } = settings
  const attempt = { value: String(input[identifier]), password: String(password) }
  hasher.requirePlace?.()
  const credentials = await users.findCredentials(attempt.value, identifier)
  const user = await requirePassword(dependencies, credentials, attempt, facts)
  if (!user) {
    events.emit('auth.login_failed', facts, { emailHash: toEmailHash(attempt.value) })
    throw new ApiError('invalid_credentials')
  }
  await hooks.before('Login', dependencies.toUserView(user), facts)
  await signIn?.beforeSession(user, facts)
  const grant = await openSession(dependencies, user, facts)
  events.emit('auth.login_succeeded', facts, { userId: user.id })
  await hooks.after('Login', grant.user, facts)
  return grant
}

async function requirePassword(
  dependencies: AccountDependencies,
  credentials: Credentials | undefined,
  { value, password }: LoginAttempt,
  facts: RequestFacts,
): Promise<StoredUser | undefined> {
  const { throttle, hasher } = dependencies
  const key = await chooseThrottleKey(dependencies, credentials, value, facts)
  // Checked again when the hash starts: many guesses may have waited in the same queue.
  const matches = await hasher.verify(credentials?.passwordHash, password, () =>
    throttle.requireOpen(key),
  )
  if (!matches || !credentials || credentials.user.disabled) {
    await throttle.fail(key)
    return undefined
  }
  await throttle.clear(key)
  await upgradeHash(dependencies, credentials, password)
  return credentials.user
}

// An account under attack is throttled for everyone except its users: the failures from the address
// of one of its live sessions are counted separately. So no one can lock a user out by guessing.
async function chooseThrottleKey(
  { throttle, sessions, events, settings }: AccountDependencies,
  credentials: Credentials | undefined,
  value: string,
  facts: RequestFacts,
): Promise<string> {
  const key = toThrottleKey(settings.identifier, value)
  try {
    await throttle.requireOpen(key)
    return key
  } catch (error) {
    // Also read for an unknown address: the time of a rejection must not reveal that it is unknown.
    const live = await sessions.list(credentials?.user.id ?? 'no-such-user')
    if (facts.address !== undefined && live.some(({ address }) => address === facts.address)) {
      return `${key} ${facts.address}`
    }
    events.emit('auth.login_throttled', facts, { emailHash: toEmailHash(value) })
    throw error
  }
}

async function upgradeHash(
  { hasher, users }: AccountDependencies,
  { user, passwordHash }: Credentials,
  password: string,
): Promise<void> {
  if (passwordHash === undefined || !hasher.needsRehash(passwordHash)) return
  try {
    // Only if it is still the same: the password may have been changed in the meantime.
    await users.update(user.id, { passwordHash: await hasher.hash(password) }, { passwordHash })
  } catch (error) {
    // The hash queue is full: the next login upgrades the hash.
    if (!(error instanceof ApiError) || error.code !== 'overloaded') throw error
  }
}

// Opens a session for a user whom the application has identified. Throws ApiError
// `invalid_credentials` when the user is disabled or does not exist.
export async function issueTokens(
  dependencies: AccountDependencies,
  userId: string,
  facts: RequestFacts,
  options?: { readonly isProof?: boolean; readonly multiFactor?: boolean },
): Promise<AuthGrant> {
  const user = await dependencies.users.findById(userId)
  if (!user || user.disabled) throw new ApiError('invalid_credentials')
  const grant = await openSession(dependencies, user, facts, options)
  dependencies.events.emit('auth.tokens_issued', facts, { userId })
  return grant
}

async function openSession(
  dependencies: AccountDependencies,
  user: StoredUser,
  facts: RequestFacts,
  options?: { readonly isProof?: boolean; readonly multiFactor?: boolean },
): Promise<AuthGrant> {
  const { sessions, users } = dependencies
  const session = await sessions.create(user.id, { ...facts, ...options })
  // Read again after the session was created: a user removed in the meantime must leave none.
  const current = await users.findById(user.id)
  if (!current || current.disabled) {
    await sessions.removeAll(user.id)
    throw new ApiError('invalid_credentials')
  }
  return createGrant(dependencies, current, session)
}

// Marks an address as verified, by the link of an e-mail. Throws ApiError `invalid_token`.
export async function verifyEmail(
  { mail, users, events }: AccountDependencies,
  token: string,
  facts: RequestFacts,
): Promise<void> {
  const subject = await mail?.tokens.take('verify-email', token)
  const user = subject && (await users.findById(subject.userId))
  // The address may have changed since the e-mail was sent.
  if (!user || user.email !== subject.email) throw new ApiError('invalid_token')
  await users.update(user.id, { emailVerified: true })
  events.emit('auth.email_verified', facts, { userId: user.id })
}

// Sends the link again if there is such an account and it is not verified. It returns immediately in
// any case.
export function resendVerification({ mail, users }: AccountDependencies, email: string): void {
  mail?.deliver('verify-email', email, async () => {
    const user = (await users.findCredentials(email))?.user
    return user && !user.disabled && !user.emailVerified ? user : undefined
  })
}

// Removes a user, then what the user holds: a concurrent login finds the user gone, or its session is among
// those removed. Returns false when there is no such user.
// Throws ApiError `last_administrator`.
export async function removeUser(dependencies: AccountDependencies, id: string): Promise<boolean> {
  const removed = await modifyUser(dependencies, id, () => 'remove')
  await endRemoved(dependencies, id)
  if (removed) dependencies.events.emit('auth.user_removed', {}, { userId: id })
  return removed !== undefined
}
