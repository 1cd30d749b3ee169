import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { type Outcome } from '../terminal/reporter.ts'
import { apiCommand } from '../terminal/api-command.ts'

export const algorithms = ['HS256', 'ES256', 'RS256'] as const

export type Algorithm = (typeof algorithms)[number]

export interface NewKey {
  readonly alg: Algorithm
  /** Variable that holds keys of its kind. */
  readonly variable: 'JWT_SECRET' | 'JWT_SIGNING_KEYS'
  readonly value: string
}

// 256 random bits, or a key pair as PKCS #8 in base64, which holds both halves.
export function createKey(alg: Algorithm): NewKey {
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

export interface GenerateKeyOptions {
  /**
   * Algorithm of the access tokens.
   * @default 'HS256'
   */
  readonly alg?: Algorithm | undefined
}

export async function generateKey(options: GenerateKeyOptions): Promise<Outcome> {
  const { alg = 'HS256' } = options
  const { value, variable } = createKey(alg)
  return {
    json: { command: 'keys generate', alg, variable, value },
    lines: [`${variable}=${value}`],
    notes: [
      {
        kind: 'next',
        message: `if a key is in use, put the new one before it, separated by a comma; in .env, ${apiCommand} keys rotate does this`,
      },
    ],
  }
}
