import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { type SigningKey } from './keys.ts'

const problem =
  'must be private keys in base64 (PKCS #8; a retired one may be its public half, SPKI), separated by commas. Make one: npx api keys generate --alg ES256'

export function parseSigningKeys(value: unknown): readonly SigningKey[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the compiler has checked the option, and createAuth checks the keys
  if (Array.isArray(value)) return value as readonly SigningKey[]
  return String(value)
    .split(',')
    .map((text) => toSigningKey(Buffer.from(text.trim(), 'base64')))
}

function toSigningKey(der: Buffer): SigningKey {
  const privateKey = readKey(() => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
  if (privateKey) {
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    return { algorithm: toAlgorithm(privateKey), privateKey: pem }
  }
  const publicKey = readKey(() => createPublicKey({ key: der, format: 'der', type: 'spki' }))
  if (!publicKey) throw new TypeError(problem)
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString()
  return { algorithm: toAlgorithm(publicKey), publicKey: pem }
}

function readKey(read: () => KeyObject): KeyObject | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function toAlgorithm({ asymmetricKeyType: type }: KeyObject): SigningKey['algorithm'] {
  if (type === 'ec') return 'ES256'
  if (type === 'rsa') return 'RS256'
  throw new TypeError(`${problem}: it is none of ES256 or RS256`)
}
