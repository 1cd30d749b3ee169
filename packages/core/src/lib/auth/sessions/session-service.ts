import { ApiError } from '../../errors/api-error.ts'
import { type CredentialLimit } from '../limits/auth-limits.ts'
import { type SingleFlight } from '../storage/shared-work.ts'
import { otherNetwork, type SecurityEvents } from '../events/security-events.ts'
import { type SessionStore } from './session-store.ts'
import { type AuthGrant, createGrant, type GrantDependencies } from './grant.ts'
import { type HookRunner, type HookSession } from '../events/hooks.ts'
import { type PresentedToken } from './refresh-token.ts'
import { type RequestFacts } from '../events/request-facts.ts'
import { type StoredUser, type UserStore } from '../users/user-store.ts'

/** A session as its user sees it. */
export interface SessionView {
  /** Id of the session. */
  id: string
  /** `User-Agent` of the login. */
  device: string | null
  /** Client address of the last use. */
  address: string | null
  /** Time of the login. */
  createdAt: Date
  /** Time of the last refresh, or of the login. */
  lastSeenAt: Date
  /** Whether it is the session of the request. */
  current: boolean
}

/** The user of a request, and the session whose token was presented. */
export interface SessionCaller {
  /** Id of the user: `req.user.id`. */
  readonly userId: string
  /**
   * Id of the session: `req.sessionId`.
   * @default undefined
   */
  readonly sessionId?: string | undefined
}

export interface SessionDependencies {
  readonly sessions: SessionStore
  readonly events: SecurityEvents
  readonly hooks: HookRunner
}

export interface RefreshDependencies extends SessionDependencies, GrantDependencies {
  readonly users: UserStore
  /** Shares the read of the user among concurrent refreshes. */
  readonly readUserOnce: SingleFlight<StoredUser | undefined>
  readonly sessionLimit: CredentialLimit
}

// Exchanges a refresh token for new tokens. Throws ApiError `invalid_token`, `session_revoked`,
// `refresh_token_expired`, `refresh_token_reused` or `refresh_conflict`.
export async function refresh(
  dependencies: RefreshDependencies,
  refreshToken: string,
  facts: RequestFacts,
): Promise<AuthGrant> {
  const { sessions, users, readUserOnce, events, hooks, sessionLimit, settings } = dependencies
  const token = await sessions.recognise(refreshToken)
  if (!token) throw new ApiError('invalid_token')
  await sessionLimit(token.sessionId)
  // The read is shared by concurrent refreshes: a user disabled in the meantime gets tokens that no
  // guarded route accepts.
  const read = (): Promise<StoredUser | undefined> => users.findById(token.userId)
  // With `stateless` the token itself decides, so its roles must not be older than the request.
  const user = await (settings.stateless ? read() : readUserOnce(token.userId, read))
  if (!user || user.disabled) {
    await sessions.removeAll(token.userId)
    throw new ApiError('session_revoked')
  }
  if (token.wasRevoked) throw new ApiError('session_revoked')
  await hooks.before('Refresh', toIds(token), facts)
  const rotation = await sessions.rotate(token, facts)
  if (rotation.status !== 'rotated' && rotation.status !== 'reissued') {
    if (rotation.status === 'replayed' && rotation.detectedNow) {
      events.emit('auth.refresh_replayed', facts, toIds(token))
    }
    throw new ApiError(errorCodes[rotation.status])
  }
  if (rotation.status === 'rotated') events.emit('auth.refreshed', facts, toIds(token))
  else {
    const reason = rotation.isOtherNetwork ? otherNetwork : undefined
    events.emit('auth.refresh_reused_in_leeway', facts, { ...toIds(token), reason })
  }
  await hooks.after('Refresh', toIds(token), facts)
  return createGrant(dependencies, user, rotation.session)
}

const errorCodes = {
  revoked: 'session_revoked',
  expired: 'refresh_token_expired',
  ahead: 'invalid_token',
  overlap: 'refresh_conflict',
  replayed: 'refresh_token_reused',
} as const

// Revokes the session of a refresh token. An old token of the session is accepted too, and one that
// is not authentic changes nothing (RFC 7009 section 2.2): the client is logged out in any case.
export async function logout(
  { sessions, events, hooks }: SessionDependencies,
  refreshToken: string,
  facts: RequestFacts,
): Promise<void> {
  const token = await sessions.recognise(refreshToken)
  if (!token) return
  await hooks.before('Logout', toIds(token), facts)
  const revoked = await sessions.revoke(toIds(token), 'logout')
  if (!revoked) return
  events.emit('auth.logged_out', facts, toIds(token))
  await hooks.after('Logout', toIds(token), facts)
}

function toIds({ userId, sessionId }: PresentedToken): HookSession {
  return { userId, sessionId }
}

/** The sessions of a user to end. */
export interface SessionsToRevoke extends SessionCaller {
  /**
   * Id of a session that continues.
   * @default undefined, none
   */
  readonly except?: string | undefined
}

export async function revokeSessions(
  { sessions, events }: SessionDependencies,
  { except, ...caller }: SessionsToRevoke,
  facts: RequestFacts,
): Promise<number> {
  const count = await sessions.revokeAll(caller.userId, { reason: 'logout-all', except })
  events.emit('auth.sessions_revoked', facts, { ...caller, reason: 'logout-all' })
  return count
}

// The newest first.
export async function listSessions(
  { sessions }: SessionDependencies,
  caller: SessionCaller,
): Promise<SessionView[]> {
  const live = await sessions.list(caller.userId)
  return live.map(({ _id, device, address, createdAt, rotatedAt }) => {
    const id = String(_id)
    const lastSeenAt = rotatedAt ?? createdAt
    return { id, device, address, createdAt, lastSeenAt, current: id === caller.sessionId }
  })
}

// Throws ApiError `not_found` when the user has no such session.
export async function revokeSession(
  { sessions, events }: SessionDependencies,
  session: HookSession,
  facts: RequestFacts,
): Promise<void> {
  const revoked = await sessions.revoke(session, 'revoked')
  if (!revoked) throw new ApiError('not_found')
  events.emit('auth.sessions_revoked', facts, { ...session, reason: 'revoked' })
}
