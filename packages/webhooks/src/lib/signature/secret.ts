import { randomBytes } from 'node:crypto'

const prefix = 'whsec_'

export function createSecret(): string {
  return prefix + randomBytes(32).toString('base64')
}

// The key of a secret of Standard Webhooks: base64 of 24 to 64 bytes, with or without its prefix.
export function toKey(secret: string): Buffer {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret
  const key = Buffer.from(text, 'base64')
  const isBase64 = key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '')
  if (isBase64 && key.length >= 24 && key.length <= 64) return key
  throw new TypeError('A webhook secret must be whsec_ and 24 to 64 bytes in base64.')
}
