import { randomBytes } from 'node:crypto'

const prefix = 'unusable '

// What is stored instead of the hash of a password, for users who log in by another way: no password matches it.
export function createUnusableHash(): string {
  return `${prefix}${randomBytes(16).toString('hex')}`
}

export function isUsable(passwordHash: string | undefined): boolean {
  return passwordHash !== undefined && !passwordHash.startsWith(prefix)
}
