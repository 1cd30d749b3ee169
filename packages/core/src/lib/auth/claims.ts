import { type StoredUser } from './user-store.ts'

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- the only way to extend Express' Request
  namespace Express {
    interface Request {
      /** The application's claims of the access token, as they were when it was made. */
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
  /** Name of the one claim that holds them all, an address of yours: `https://example.com/claims`. */
  namespace: string
  /** Makes the claims of a user. No secrets and no personal data: anyone can read a token. */
  create: (user: StoredUser) => Claims
}

/** How the extra claims of tokens are made and read. */
export interface ExtraClaims {
  /** Their names. */
  readonly names: readonly string[]
  /** Makes them. */
  readonly create: (user: StoredUser) => Readonly<Record<string, unknown>>
  /** Reads those of the application. */
  readonly read: (claims: Readonly<Record<string, unknown>>) => unknown
}

/**
 * Resolves the claims beyond the standard ones.
 * @param options - whether tokens stand for themselves, and the application's claims
 * @param options.stateless - adds address and role of the user
 * @param options.claims - the application's
 * @returns how to make and read them
 * @throws TypeError when the namespace is no address: it could clash with a registered claim
 */
export function resolveClaims(options: {
  stateless?: boolean | undefined
  claims?: ClaimsOptions | undefined
}): ExtraClaims {
  const { stateless = false, claims } = options
  if (claims && !/^https?:\/\/./.test(claims.namespace)) {
    throw new TypeError("auth.claims.namespace must be an address: 'https://example.com/claims'.")
  }
  const { namespace = '', create } = claims ?? {}
  return {
    names: [...(stateless ? ['email', 'role'] : []), ...(claims ? [namespace] : [])],
    create: (user) => ({
      ...(stateless ? { email: user.email, role: user.role } : {}),
      ...(create ? { [namespace]: create(user) } : {}),
    }),
    read: (all) => all[namespace],
  }
}
