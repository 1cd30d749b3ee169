import { createHash, randomBytes } from 'node:crypto'

// What is stored of something that could be presented.
export function toDigest(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('base64url')
}

export function createToken(): string {
  return randomBytes(32).toString('base64url')
}
