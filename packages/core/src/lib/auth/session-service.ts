import { ApiError } from '../errors/api-error.ts'
import { type AuthContext } from './auth-context.ts'
import { type RequestFacts } from './request-facts.ts'

/** A session as its user sees it. */
export interface SessionView {
  id: string
  /** `User-Agent` of the login. */
  device: string | null
  /** Address it was used from last. */
  address: string | null
  createdAt: Date
  /** When it was refreshed last, or opened. */
  lastSeenAt: Date
  /** Whether it is the one that asks. */
  current: boolean
}

/** Whose session a request runs in. */
export interface Caller {
  userId: string
  sessionId: string
}

/**
 * Ends the session of a refresh token. Also an old token of ours will do, and one that is not
 * ours changes nothing (RFC 7009 section 2.2): the client is logged out in any case.
 * @param context - the parts of authentication
 * @param refreshToken - as it came
 * @param facts - of the request
 */
export async function logout(
  context: AuthContext,
  refreshToken: string,
  facts: RequestFacts,
): Promise<void> {
  const { sessions, events, hooks } = context
  const token = await sessions.recognise(refreshToken)
  if (!token) return
  const { userId, sessionId } = token
  await hooks.before('Logout', { userId, sessionId }, facts)
  const ended = await sessions.revoke({ userId, sessionId }, 'logout')
  if (!ended) return
  events.emit('auth.logged_out', facts, { userId, sessionId })
  await hooks.after('Logout', { userId, sessionId }, facts)
}

/**
 * Ends every session of the caller.
 * @param context - the parts of authentication
 * @param caller - who asks
 * @param facts - of the request
 */
export async function logoutAll(
  context: AuthContext,
  caller: Caller,
  facts: RequestFacts,
): Promise<void> {
  const { sessions, events } = context
  await sessions.revokeAll(caller.userId, { reason: 'logout-all' })
  events.emit('auth.sessions_revoked', facts, { ...caller, reason: 'logout-all' })
}

/**
 * Lists the live sessions of the caller, the newest first.
 * @param context - the parts of authentication
 * @param caller - who asks
 * @returns the sessions
 */
export async function listSessions(context: AuthContext, caller: Caller): Promise<SessionView[]> {
  const sessions = await context.sessions.list(caller.userId)
  return sessions.map(({ _id, device, address, createdAt, rotatedAt }) => {
    const id = String(_id)
    const lastSeenAt = rotatedAt ?? createdAt
    return { id, device, address, createdAt, lastSeenAt, current: id === caller.sessionId }
  })
}

/**
 * Ends one session of the caller.
 * @param context - the parts of authentication
 * @param session - which one, and whose it must be
 * @param facts - of the request
 * @throws ApiError `not_found` when the caller has no such session
 */
export async function revokeSession(
  context: AuthContext,
  session: Caller,
  facts: RequestFacts,
): Promise<void> {
  const ended = await context.sessions.revoke(session, 'revoked')
  if (!ended) throw new ApiError('not_found')
  context.events.emit('auth.sessions_revoked', facts, { ...session, reason: 'revoked' })
}
