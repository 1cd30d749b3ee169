import { randomBytes } from 'node:crypto'

// Without letters and digits that look alike: five bits each.
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

export function createCode(length: number): string {
  return Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join('')
}
