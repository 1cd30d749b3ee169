import { generateKeyPairSync, randomBytes } from 'node:crypto'

/** Algorithms of access tokens. */
export const algorithms = ['HS256', 'ES256', 'RS256'] as const

/** Algorithm of access tokens. */
export type Algorithm = (typeof algorithms)[number]

/** A new key, as the environment takes it. */
export interface NewKey {
  readonly alg: Algorithm
  /** Variable that holds keys of its kind. */
  readonly variable: 'JWT_SECRET' | 'JWT_SIGNING_KEYS'
  readonly value: string
}

/**
 * Makes a key: 256 random bits, or a key pair as PKCS #8 in base64, which holds both halves.
 *
 * @param alg algorithm it is for
 * @returns the key
 */
export function makeKey(alg: Algorithm): NewKey {
  if (alg === 'HS256') {
    return { alg, variable: 'JWT_SECRET', value: randomBytes(32).toString('base64url') }
  }
  const { privateKey } =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const der = privateKey.export({ format: 'der', type: 'pkcs8' })
  return { alg, variable: 'JWT_SIGNING_KEYS', value: der.toString('base64') }
}
