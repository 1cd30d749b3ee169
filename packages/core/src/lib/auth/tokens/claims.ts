import { type StoredUser } from '../users/user-store.ts'

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- the only way to extend Express' Request
  namespace Express {
    interface Request {
      /** The application's claims of the access token, as they were when it was issued. */
      claims?: Claims | undefined
    }
  }
}

/**
 * The application's claims; extend it by declaration merging:
 * `declare module '@create-api/core' { interface Claims { plan: string } }`.
 */
export interface Claims {
  readonly [name: string]: unknown
}

/** Claims of the application in access tokens. */
export interface ClaimsOptions {
  /** Name of the claim that contains them, a URL that you control: `https://example.com/claims`. */
  namespace: string
  /** Creates the claims of a user. No secrets and no personal data: anyone can read a token. */
  create: (user: StoredUser) => Claims
}

// The claims of tokens beyond the standard ones.
export interface ExtraClaims {
  readonly names: readonly string[]
  readonly create: (user: StoredUser) => Readonly<Record<string, unknown>>
  /** Reads those of the application. */
  readonly read: (claims: Readonly<Record<string, unknown>>) => unknown
}

// The time of the last proof of identity, in seconds (RFC 9068 section 2.2.1).
export const authTime = 'auth_time'
// How the user was authenticated: `['mfa']` (RFC 8176).
export const authMethods = 'amr'

// `stateless` adds address and roles of the user. Throws TypeError when the namespace is not a URL: it could
// clash with a registered claim.
export function resolveClaims(options: {
  stateless?: boolean | undefined
  claims?: ClaimsOptions | undefined
}): ExtraClaims {
  const { stateless = false, claims } = options
  if (claims && !/^https?:\/\/./.test(claims.namespace)) {
    throw new TypeError("auth.claims.namespace must be a URL such as 'https://example.com/claims'.")
  }
  const { namespace = '', create } = claims ?? {}
  return {
    names: [
      ...(stateless ? ['email', 'roles', authTime, authMethods] : []),
      ...(claims ? [namespace] : []),
    ],
    create: (user) => ({
      ...(stateless ? { email: user.email, roles: user.roles } : {}),
      ...(create ? { [namespace]: create(user) } : {}),
    }),
    read: (all) => all[namespace],
  }
}
