import { toDigest } from '../digest.ts'
import { type PasskeyDocument } from './passkey-models.ts'

// How options name a passkey.
interface Descriptor {
  id: string
  type: 'public-key'
  transports: string[]
}

export function toDescriptor({ credentialId, transports }: PasskeyDocument): Descriptor {
  return { id: credentialId, type: 'public-key', transports }
}

// Authenticators store it with the passkey: no data about a person (section 14.6.1).
export function toUserHandle(userId: string): string {
  return toDigest('passkey', userId)
}
