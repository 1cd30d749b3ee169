import { generateCode } from '../factors/totp.ts'

/**
 * Creates the code that an authenticator application shows (RFC 6238), for tests.
 * @param secret - secret of the factor, from the response to `POST /factors/totp`
 * @param time - time in milliseconds since the epoch; each code is accepted once, so a second one needs another time
 * @returns six digits
 * @throws TypeError when the secret is not in base32
 * @example
 * ```ts
 * const code = createTotpCode(secret, Date.now() + 30_000)
 * ```
 */
export function createTotpCode(secret: string, time: number = Date.now()): string {
  return generateCode(secret, time)
}
