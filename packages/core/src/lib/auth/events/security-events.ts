import { createHash } from 'node:crypto'
import { type Logger } from '../../logging/logger.ts'
import { checkCallerStreams } from '../../route/caller-streams.ts'
import { type RequestFacts } from './request-facts.ts'

// The names are stable: alerts can depend on them.
export const securityEventNames = [
  'auth.registered',
  'auth.login_succeeded',
  'auth.login_failed',
  'auth.login_throttled',
  'auth.login_link_requested',
  'auth.login_link_used',
  'auth.identity_used',
  'auth.identity_rejected',
  'auth.passkey_used',
  'auth.passkey_failed',
  'auth.second_factor_required',
  'auth.second_factor_passed',
  'auth.second_factor_failed',
  'auth.tokens_issued',
  'auth.reauthenticated',
  'auth.refreshed',
  'auth.refresh_reused_in_leeway',
  'auth.refresh_replayed',
  'auth.logged_out',
  'auth.sessions_revoked',
  'auth.password_changed',
  'auth.password_reset_requested',
  'auth.password_reset',
  'auth.factor_added',
  'auth.factor_removed',
  'auth.factors_reset',
  'auth.recovery_codes_created',
  'auth.recovery_code_used',
  'auth.identity_linked',
  'auth.identity_unlinked',
  'auth.trusted_devices_removed',
  'auth.passkey_added',
  'auth.passkey_removed',
  'auth.email_verified',
  'auth.email_change_requested',
  'auth.email_changed',
  'auth.user_updated',
  'auth.user_removed',
  'auth.role_granted',
  'auth.role_revoked',
  'auth.api_key_created',
  'auth.api_key_rotated',
  'auth.api_key_revoked',
  'auth.api_key_rejected',
  'auth.unauthenticated',
  'auth.forbidden',
  'organization.created',
  'organization.removed',
  'organization.member_added',
  'organization.member_removed',
  'organization.roles_changed',
  'organization.invitation_created',
  'organization.invitation_accepted',
] as const

/** Name of a security event. */
export type SecurityEventName = (typeof securityEventNames)[number]

/** An event that matters to the security of the service. */
export interface SecurityEvent {
  /** Name of the event. */
  readonly event: SecurityEventName
  /** Time of the event: ISO 8601, UTC. */
  readonly time: string
  /** Id of the request that caused it. */
  readonly requestId?: string | undefined
  /** Address of the client. */
  readonly address?: string | undefined
  /** Id of the user, if known. */
  readonly userId?: string | undefined
  /** Id of the user who changed the roles or the memberships of another one, where the call names a request with a caller. */
  readonly actorId?: string | undefined
  /** Id of the organization, if any. */
  readonly organizationId?: string | undefined
  /** Id of the session, if any. */
  readonly sessionId?: string | undefined
  /** Id of the API key, if any. */
  readonly keyId?: string | undefined
  /**
   * First 16 characters of the SHA-256 (base64url) of the address or identifier, where the user is not known:
   * it groups events without revealing the address.
   */
  readonly emailHash?: string | undefined
  /** Error code, or another detail of the event. */
  readonly reason?: string | undefined
}

export type SecurityEventDetails = Pick<
  SecurityEvent,
  'userId' | 'actorId' | 'organizationId' | 'sessionId' | 'keyId' | 'emailHash' | 'reason'
>

export interface SecurityEvents {
  /** Logs an event once, checks the open streams of its user, and calls `onEvent`. */
  emit(event: SecurityEventName, facts: Partial<RequestFacts>, details?: SecurityEventDetails): void
}

const warnings = new Set<SecurityEventName>([
  'auth.login_failed',
  'auth.login_throttled',
  'auth.identity_rejected',
  'auth.passkey_failed',
  'auth.second_factor_failed',
  'auth.recovery_code_used',
  'auth.refresh_replayed',
  'auth.api_key_rejected',
  'auth.forbidden',
])

// The reason of an event whose request came from another network than the last one of its session.
export const otherNetwork = 'other_network'

export function createSecurityEvents({
  logger,
  onEvent,
  now,
}: {
  logger: Logger
  onEvent: ((event: SecurityEvent) => void) | undefined
  now: () => number
}): SecurityEvents {
  return {
    emit(event, { requestId, address }, details = {}) {
      const entry = { event, requestId, address, ...details }
      // Without the time: a log line has its own.
      if (warnings.has(event) || details.reason === otherNetwork) logger.warn(entry, event)
      else logger.info(entry, event)
      if (details.userId !== undefined) checkCallerStreams(details.userId)
      try {
        onEvent?.({ ...entry, time: new Date(now()).toISOString() })
      } catch (error) {
        logger.error({ err: error, event, requestId }, 'auth.onEvent failed')
      }
    },
  }
}

// Identifies an account in a log without its address.
export function toEmailHash(email: string): string {
  return createHash('sha256').update(email).digest('base64url').slice(0, 16)
}
