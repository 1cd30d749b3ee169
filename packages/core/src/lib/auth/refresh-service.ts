import { ApiError } from '../errors/api-error.ts'
import { type AuthContext } from './auth-context.ts'
import { type AuthGrant, createGrant } from './grant.ts'
import { type RequestFacts } from './request-facts.ts'
import { type PresentedToken } from './session-documents.ts'

/**
 * Trades a refresh token for new tokens.
 * @param context - the parts of authentication
 * @param refreshToken - as it came
 * @param facts - of the request
 * @returns user and tokens
 * @throws ApiError `invalid_token`, `session_revoked`, `refresh_token_expired`,
 * `refresh_token_reused` or `refresh_conflict`
 */
export async function refresh(
  context: AuthContext,
  refreshToken: string,
  facts: RequestFacts,
): Promise<AuthGrant> {
  const { sessions, users, userReads, events, hooks, sessionLimit } = context
  const token = await sessions.recognise(refreshToken)
  if (!token) throw new ApiError('invalid_token')
  await sessionLimit(token.sessionId)
  // Shared by a storm: who is disabled meanwhile gets tokens that no guarded route takes.
  const user = await userReads.run(token.userId, () => users.findById(token.userId))
  if (!user || user.disabled) {
    await sessions.removeAll(token.userId)
    throw new ApiError('session_revoked')
  }
  await hooks.before('Refresh', toDetails(token), facts)
  const rotation = await sessions.rotate(token, facts)
  if (rotation.status !== 'rotated' && rotation.status !== 'reissued') {
    if (rotation.status === 'reused' && rotation.detectedNow) {
      events.emit('auth.refresh_reused', facts, toDetails(token))
    }
    throw new ApiError(errorCodes[rotation.status])
  }
  events.emit('auth.refreshed', facts, toDetails(token))
  await hooks.after('Refresh', toDetails(token), facts)
  return createGrant(context, user, rotation.session)
}

const errorCodes = {
  revoked: 'session_revoked',
  expired: 'refresh_token_expired',
  ahead: 'invalid_token',
  overlap: 'refresh_conflict',
  reused: 'refresh_token_reused',
} as const

function toDetails({ userId, sessionId }: PresentedToken): { userId: string; sessionId: string } {
  return { userId, sessionId }
}
