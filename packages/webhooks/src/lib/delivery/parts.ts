import { type SecretBox } from '@create-api/core/internal/sign-in'
import { type Mailer } from '@create-api/core/auth'
import { type TargetRules } from '../network/target.ts'
import { type DisabledReason, type WebhookModels } from '../store/models.ts'
import { type PublishedEvent } from './publish.ts'

/** The owner of an endpoint. */
export interface EndpointOwner {
  /** Id of the user. */
  readonly owner?: string | undefined
  /** Id of the organization. */
  readonly organization?: string | undefined
}

/** Mails about endpoints that were disabled. */
export interface WebhookMail {
  /** Sends the mail. */
  readonly mailer: Mailer
  /**
   * Finds the addresses of the owner of an endpoint.
   * @param owner - the user or the organization
   * @returns the addresses; an empty list for no mail
   */
  readonly addresses: (owner: EndpointOwner) => Promise<readonly string[]>
}

export interface WebhookParts {
  readonly models: WebhookModels
  readonly box: SecretBox
  readonly events: readonly PublishedEvent[]
  readonly rules: TargetRules
  readonly timeoutMs: number
  /** Time before each further attempt, in milliseconds. */
  readonly retries: readonly number[]
  readonly disableAfterMs: number
  readonly keepMs: number
  readonly overlapMs: number
  readonly maxEndpoints: number
  readonly mail: WebhookMail | undefined
}

export interface DisabledNotice {
  readonly endpoint: string
  readonly reason: DisabledReason
}
