import {
  type MailKind,
  type SignInContext,
  type SignInParts,
} from '@create-api/core/internal/sign-in'
import { type Model } from 'mongoose'
import { toDigest } from './digest.ts'
import { type DeviceDocument } from './factors/factor-models.ts'

type Observe = SignInParts['observe']

const day = 86_400_000
const deviceMemory = 365 * day

// The mails that an event causes.
const kinds = new Map<string, MailKind>([
  ['auth.password_changed', 'password-changed'],
  ['auth.password_reset', 'password-changed'],
  ['auth.factor_added', 'factor-added'],
  ['auth.factor_removed', 'factor-removed'],
  ['auth.factors_reset', 'factors-reset'],
  ['auth.recovery_code_used', 'recovery-code-used'],
  ['auth.identity_linked', 'identity-linked'],
  ['auth.identity_unlinked', 'identity-unlinked'],
  ['auth.passkey_added', 'passkey-added'],
  ['auth.passkey_removed', 'passkey-removed'],
])

// The events after which a session exists.
const logins = new Set([
  'auth.login_succeeded',
  'auth.login_link_used',
  'auth.identity_used',
  'auth.passkey_used',
  'auth.second_factor_passed',
  'auth.registered',
])

// Informs users of changes by mail, in the background.
export function createNotices(context: SignInContext, devices: Model<DeviceDocument>): Observe {
  const { logger, mail, now, users } = context
  const notify = async (userId: string, kind: MailKind): Promise<void> => {
    const user = await users.findById(userId)
    if (user) mail?.deliver(kind, user.email, async () => user)
  }

  const noteDevice = async (userId: string, device: string): Promise<void> => {
    const isFirst = (await devices.exists({ userId })) === null
    const { upsertedCount } = await devices.updateOne(
      { _id: toDigest(userId, device) },
      { $set: { userId, expiresAt: new Date(now() + deviceMemory) } },
      { upsert: true },
    )
    // With the first device there is nothing to compare it with.
    if (upsertedCount > 0 && !isFirst) await notify(userId, 'new-device')
  }

  return (event, { device = '' }, { userId }) => {
    if (userId === undefined) return
    const kind = kinds.get(event)
    const work = kind
      ? notify(userId, kind)
      : logins.has(event)
        ? noteDevice(userId, device)
        : undefined
    work?.catch((error: unknown) => {
      logger.error({ err: error, event }, 'The notice of a security event could not be sent.')
    })
  }
}
