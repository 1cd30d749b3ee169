import { type SecretBox } from '@create-api/core/internal/sign-in'
import { toKey } from '../signature/secret.ts'
import { type StoredSecret } from './models.ts'

// Bound to its endpoint: it cannot be copied to that of another owner.
export function sealSecret(box: SecretBox, endpointId: string, secret: string): StoredSecret {
  return { sealed: box.seal(secret, endpointId), expiresAt: null }
}

// The keys that sign at a time. Throws Error when none can be decrypted.
export function openKeys(
  box: SecretBox,
  endpoint: { readonly id: string; readonly secrets: readonly StoredSecret[] },
  now: Date,
): Buffer[] {
  const keys = endpoint.secrets
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    .map(({ sealed }) => box.open(sealed, endpoint.id))
    .flatMap((opened) => (opened ? [toKey(opened.text)] : []))
  if (keys.length > 0) return keys
  throw new Error(
    `The secret of the webhook endpoint ${endpoint.id} cannot be decrypted. Add the earlier key to encryptionKeys of createWebhooks(), or rotate the secret of the endpoint.`,
  )
}
