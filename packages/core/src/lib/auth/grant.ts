import { type AuthContext } from './auth-context.ts'
import { type IssuedSession } from './session-documents.ts'
import { type StoredUser } from './user-store.ts'
import { toUserView, type UserView } from './user-view.ts'

/** What register, login and refresh-token answer (RFC 6749 section 5.1, in our envelope). */
export interface AuthGrant {
  user: UserView
  accessToken: string
  refreshToken: string
  /** The word before the access token in `Authorization`. */
  tokenType: string
  /** Lifetime of the access token in seconds. */
  expiresIn: number
}

/**
 * Makes the tokens of a session.
 * @param context - the parts of authentication
 * @param user - the user
 * @param session - opened or refreshed
 * @returns what the client gets
 */
export function createGrant(
  context: AuthContext,
  user: StoredUser,
  session: IssuedSession,
): AuthGrant {
  const { tokens, settings } = context
  return {
    user: toUserView(user),
    accessToken: tokens.sign({
      sub: user.id,
      sid: session.sessionId,
      extra: settings.claims.create(user),
    }),
    refreshToken: session.refreshToken,
    tokenType: settings.scheme,
    expiresIn: settings.accessLifetime,
  }
}
