import { type AccessTokens } from '../tokens/access-token.ts'
import { authMethods, authTime, type ExtraClaims } from '../tokens/claims.ts'
import { type Schemes } from '../tokens/schemes.ts'
import { toSeconds } from '../../options/parse-duration.ts'
import { type IssuedSession } from './refresh-token.ts'
import { type StoredUser } from '../users/user-store.ts'
import { type ToUserView, type UserView } from '../users/user-view.ts'

/** The result of register, login and refresh-token (RFC 6749 section 5.1, in the envelope). */
export interface AuthGrant {
  /** The user. */
  user: UserView
  /** Access token, a JWT. */
  accessToken: string
  /** Refresh token, which can be used once. */
  refreshToken: string
  /** The scheme for the access token in `Authorization`. */
  tokenType: string
  /** Remaining lifetime of the access token in seconds. */
  expiresIn: number
}

export interface GrantDependencies {
  readonly settings: {
    readonly accessLifetime: number
    readonly claims: ExtraClaims
    readonly now: () => number
    readonly schemes: Schemes
    readonly stateless: boolean
  }
  readonly tokens: AccessTokens
  readonly toUserView: ToUserView
}

export function createGrant(
  { tokens, settings, toUserView }: GrantDependencies,
  user: StoredUser,
  session: IssuedSession,
): AuthGrant {
  // The access token of a refresh that is given again is as old as the refresh.
  const age = Math.max(0, settings.now() - session.issuedAt.getTime())
  return {
    user: toUserView(user),
    accessToken: tokens.sign({
      sub: user.id,
      sid: session.sessionId,
      jti: session.accessTokenId,
      issuedAt: session.issuedAt,
      extra: {
        ...settings.claims.create(user),
        ...(settings.stateless && {
          [authTime]: toSeconds(session.authenticatedAt.getTime()),
          [authMethods]: session.multiFactor ? ['mfa'] : [],
        }),
      },
    }),
    refreshToken: session.refreshToken,
    tokenType: settings.schemes[0],
    expiresIn: Math.max(0, toSeconds(settings.accessLifetime - age)),
  }
}
