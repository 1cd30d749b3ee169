import { type AuthOptions } from './auth-options.ts'
import { type AuthSettings } from './auth-settings.ts'

// What `createApi` needs of an `Auth` that was created before.
export interface ReadyMade {
  readonly options: AuthOptions
  /** Completes its settings. Throws Error when it is in use. */
  bind(settings: AuthSettings): void
}

const known = new WeakMap<object, ReadyMade>()

export function markReadyMade(auth: object, facts: ReadyMade): void {
  known.set(auth, facts)
}

export function findReadyMade(auth: unknown): ReadyMade | undefined {
  return typeof auth === 'object' && auth !== null ? known.get(auth) : undefined
}
