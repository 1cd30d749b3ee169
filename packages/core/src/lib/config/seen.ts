import { type ZodType } from 'zod'
import { type ApiConfig } from './api-config.ts'

/** What this process has asked of its environment. */
export interface Seen {
  /** Options of the API that was made last, or was to be made. */
  config: ApiConfig | undefined
  /** The service's own variables, by name. */
  readonly own: Map<string, ZodType>
}

/**
 * Kept for `describeEnvironment`, which has to tell of an environment even when it is refused and
 * nothing was made of it.
 */
export const seen: Seen = { config: undefined, own: new Map() }
