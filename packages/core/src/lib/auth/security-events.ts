import { createHash } from 'node:crypto'
import { type Logger } from '../logging/logger.ts'
import { type RequestFacts } from './request-facts.ts'

/** Names of security events; they are stable, alerts can be built on them. */
export const securityEventNames = [
  'auth.registered',
  'auth.login_succeeded',
  'auth.login_failed',
  'auth.login_throttled',
  'auth.refreshed',
  'auth.refresh_reused',
  'auth.logged_out',
  'auth.sessions_revoked',
  'auth.password_changed',
  'auth.password_reset_requested',
  'auth.password_reset',
  'auth.email_verified',
  'auth.unauthenticated',
  'auth.forbidden',
] as const

/** Name of a security event. */
export type SecurityEventName = (typeof securityEventNames)[number]

/** Something that whoever watches over the service should know. */
export interface SecurityEvent {
  /** What happened. */
  readonly event: SecurityEventName
  /** When, in ISO 8601 and UTC. */
  readonly time: string
  /** Id of the request that caused it. */
  readonly requestId?: string | undefined
  /** Address of the client. */
  readonly address?: string | undefined
  /** Id of the user, where it is known. */
  readonly userId?: string | undefined
  /** Id of the session, where there is one. */
  readonly sessionId?: string | undefined
  /** SHA-256 of the address, cut, where the user is not known: it groups, it does not tell. */
  readonly emailHash?: string | undefined
  /** Code of the error, or what else sets it apart. */
  readonly reason?: string | undefined
}

/** What is known about an event beyond the request. */
export type SecurityEventDetails = Pick<
  SecurityEvent,
  'userId' | 'sessionId' | 'emailHash' | 'reason'
>

/** Reports security events. */
export interface SecurityEvents {
  /**
   * Logs an event once and tells the hook.
   * @param event - what happened
   * @param facts - of the request
   * @param details - what else is known
   */
  emit(event: SecurityEventName, facts: Partial<RequestFacts>, details?: SecurityEventDetails): void
}

/** Options for {@link createSecurityEvents}. */
export interface SecurityEventsOptions {
  /** Where events are logged. */
  logger: Logger
  /** Told of each event; what it throws is logged and goes no further. */
  onEvent: ((event: SecurityEvent) => void) | undefined
  /** Milliseconds since the epoch. */
  now: () => number
}

const warnings = new Set<SecurityEventName>([
  'auth.login_failed',
  'auth.login_throttled',
  'auth.refresh_reused',
  'auth.forbidden',
])

/**
 * Makes the reporter of security events.
 * @param options - logger, hook and clock
 * @returns the reporter
 */
export function createSecurityEvents(options: SecurityEventsOptions): SecurityEvents {
  const { logger, onEvent, now } = options
  return {
    emit(event, { requestId, address }, details = {}) {
      const entry = { event, requestId, address, ...details }
      // Without the time: a log line has its own.
      if (warnings.has(event)) logger.warn(entry, event)
      else logger.info(entry, event)
      try {
        onEvent?.({ ...entry, time: new Date(now()).toISOString() })
      } catch (error) {
        logger.error({ err: error, event, requestId }, 'auth.onEvent failed')
      }
    },
  }
}

/**
 * Names an account in a log without its address.
 * @param email - canonical address
 * @returns 16 characters that are the same for the same address
 */
export function toEmailHash(email: string): string {
  return createHash('sha256').update(email).digest('base64url').slice(0, 16)
}
