import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

// The text of an API key: prefix, `_`, 256 random bits and their checksum in base 62, as in the tokens
// of GitHub. Secret scanners find it, a double click selects it, and it needs no quoting.
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 43
const checksumLength = 6

export function createApiKeyText(prefix: string): string {
  const random = BigInt(`0x${randomBytes(32).toString('hex')}`)
  const start = `${prefix}_${toBase62(random, randomLength)}`
  return start + toChecksum(start)
}

// Whether a token is meant to be an API key. No access token matches: prefixes have small letters only.
export function isApiKeyText(prefix: string, token: string): boolean {
  return token.startsWith(`${prefix}_`)
}

// False for what was mistyped or cut off. It proves nothing else: anyone can compute a checksum.
export function isIntact(prefix: string, text: string): boolean {
  if (text.length !== prefix.length + 1 + randomLength + checksumLength) return false
  return text.slice(-checksumLength) === toChecksum(text.slice(0, -checksumLength))
}

// What is stored. A slow hash protects passwords, which can be guessed; 256 random bits cannot.
export function toApiKeyHash(text: string): string {
  return hash('sha256', text, 'base64url')
}

function toChecksum(text: string): string {
  return toBase62(BigInt(crc32(text)), checksumLength)
}

function toBase62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) {
    text = digits.charAt(Number(rest % 62n)) + text
  }
  return text
}
