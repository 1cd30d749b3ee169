import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { z } from 'zod'
import { parseSecrets, requireStrong } from '../auth/tokens/parse-secrets.ts'
import { readEnv } from '../settings/read-env.ts'

// A key signs entries; without a secret it only hashes them.
export interface AuditKey {
  /** Part of the entries that it signs; undefined without a secret. */
  readonly id: string | undefined
  sign(text: string): string
}

export interface AuditKeys {
  /** Signs new entries. */
  readonly current: AuditKey
  /** The key of an entry; undefined if it is not known. */
  find(id: string | undefined): AuditKey | undefined
}

const withoutSecret: AuditKey = {
  id: undefined,
  sign: (text) => createHash('sha256').update(text).digest('base64url'),
}

const variables = {
  AUDIT_SECRET: z
    .string()
    .optional()
    .describe('Secrets that sign the audit trail, separated by commas: the first one signs.'),
}

// Separate from the keys that sign tokens, also where the secrets are the same.
export function readAuditKeys(): AuditKeys {
  const { AUDIT_SECRET: own } = readEnv(variables)
  const text = own ?? process.env['JWT_SECRET']
  const keys = text ? parseSecrets(text).map(toKey) : []
  if (own) requireUsable(own)
  return {
    current: keys[0] ?? withoutSecret,
    find: (id) =>
      id === undefined && keys.length === 0 ? withoutSecret : keys.find((key) => key.id === id),
  }
}

function requireUsable(own: string): void {
  try {
    requireStrong(parseSecrets(own))
  } catch (error) {
    throw new TypeError(`AUDIT_SECRET ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    })
  }
}

function toKey(secret: string): AuditKey {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'create-api audit trail', 32))
  const id = createHash('sha256').update('id').update(bytes).digest('base64url').slice(0, 8)
  return { id, sign: (text) => createHmac('sha256', bytes).update(text).digest('base64url') }
}
