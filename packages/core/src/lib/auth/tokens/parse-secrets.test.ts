import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parseSecrets, requireStrong } from './parse-secrets.ts'

function refusalOf(secret: string): string {
  try {
    requireStrong(parseSecrets(secret))
  } catch (error) {
    return String(error)
  }
  return 'accepted'
}

describe('requireStrong', () => {
  it('CFG-02 takes 32 random bytes in base64, base64url and hex, however the dice fall', () => {
    for (let round = 0; round < 500; round++) {
      const bytes = randomBytes(32)
      for (const encoding of ['base64', 'base64url', 'hex'] as const) {
        expect(refusalOf(bytes.toString(encoding))).toBe('accepted')
      }
    }
  })

  it.each([
    ['', 'is empty'],
    ['secret', 'is a placeholder'],
    ['changeme'.repeat(4), 'is a placeholder'],
    ['thisisasamplesecret', 'is a placeholder'],
    ['replace-this-with-something-that-is-long-enough-to-pass', 'is a placeholder'],
    ['a'.repeat(32), 'must encode at least 32 random bytes'],
    ['a'.repeat(64), 'is not random enough'],
    ['0123456789abcdef'.repeat(8), 'is not random enough'],
    ['abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', 'is not random enough'],
    ['9f86d081884c7d659a2feaa0c55ad015', 'must encode at least 32 random bytes'],
    ['n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCg==', 'must encode at least 32 random bytes'],
    [
      '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08,',
      'is empty (number 2 of 2)',
    ],
  ])('CFG-02 refuses %j and does not repeat it', (secret, fault) => {
    const message = refusalOf(secret)
    expect(message).toContain(fault)
    expect(message).toContain('openssl rand -base64 32')
    expect(secret.length > 10 && message.includes(secret)).toBe(false)
  })

  it('accepts guessable secrets of 32 bytes where these are allowed', () => {
    expect(() => requireStrong(['secret'.repeat(12)], true)).not.toThrow()
    expect(() => requireStrong(['short and with spaces'], true)).toThrow(/32 random bytes/)
  })
})

describe('parseSecrets', () => {
  it('reads several, the first being the one that signs', () => {
    const [first, second] = [randomBytes(32).toString('hex'), randomBytes(32).toString('base64')]
    expect(parseSecrets(`${first}, ${second}`)).toEqual([first, second])
    expect(parseSecrets([first, second])).toEqual([first, second])
  })
})
