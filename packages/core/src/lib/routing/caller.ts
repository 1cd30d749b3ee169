/** Names of the roles; extend it by declaration merging: `interface Roles { editor: true }`. */
export interface Roles {
  admin: true
}

/** The caller of a guarded route; extend it by declaration merging. */
export interface User {
  /** Opaque id. */
  id: string
  /** Canonical e-mail address. */
  email: string
  /** What the caller may do. */
  role: 'user' | keyof Roles
}
