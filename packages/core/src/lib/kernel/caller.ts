/** Names of the roles; extend it by declaration merging: `interface Roles { editor: true }`. */
export interface Roles {
  admin: true
}

/** Name of a role. */
export type Role = keyof Roles

/** The caller of a guarded route; extend it by declaration merging. */
export interface User {
  /** Opaque identifier. */
  id: string
  /** Canonical e-mail address. */
  email: string
  /** The caller's roles; empty for an ordinary user. */
  roles: readonly Role[]
}
