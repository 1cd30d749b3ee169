import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { type SigningKey, toPublicKey } from './keys.ts'

const fix = 'Create one: npx api keys generate --alg ES256'

const encoding =
  'must be private keys in base64 (PKCS #8; a retired one may be its public half, SPKI), separated by commas'

// What it throws follows the name of the option or variable, and never contains a key.
export function parseSigningKeys(value: unknown): readonly SigningKey[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked below
  const keys = Array.isArray(value) ? (value as readonly SigningKey[]) : decode(String(value))
  for (const key of keys) requireUsable(key)
  const [first, ...older] = keys
  if (first && first.privateKey === undefined) {
    throw new TypeError(`must begin with a private key, which signs new tokens. ${fix}`)
  }
  if (older.some(({ algorithm }) => algorithm !== first?.algorithm)) {
    throw new TypeError('must all have the same algorithm: keep those of ES256 or those of RS256')
  }
  return keys
}

function requireUsable(key: SigningKey | null): void {
  if (typeof key !== 'object' || key === null) {
    throw new TypeError(`must be objects with algorithm and privateKey. ${fix}`)
  }
  const { algorithm, privateKey, publicKey } = key
  if (algorithm !== 'ES256' && algorithm !== 'RS256') {
    throw new TypeError('must have an algorithm, ES256 or RS256')
  }
  if ((privateKey ?? publicKey) === undefined) {
    throw new TypeError(`must each have a privateKey or a publicKey. ${fix}`)
  }
  const read = readKey(() => (privateKey === undefined ? undefined : createPrivateKey(privateKey)))
  const half = readKey(() => toPublicKey(key))
  if (!half || (privateKey !== undefined && !read)) {
    throw new TypeError(`must be in PEM, and one cannot be read. ${fix}`)
  }
  requireFit(half, algorithm)
}

function requireFit(key: KeyObject, algorithm: SigningKey['algorithm']): void {
  const details = key.asymmetricKeyDetails
  const fits =
    algorithm === 'ES256'
      ? key.asymmetricKeyType === 'ec' && details?.namedCurve === 'prime256v1'
      : key.asymmetricKeyType === 'rsa' && (details?.modulusLength ?? 0) >= 2048
  if (fits) return
  const needed = algorithm === 'ES256' ? 'an EC key on P-256' : 'an RSA key of 2048 bits or more'
  throw new TypeError(`must fit their algorithm: ${algorithm} needs ${needed}. ${fix}`)
}

function decode(text: string): SigningKey[] {
  return text.split(',').map((part) => toSigningKey(Buffer.from(part.trim(), 'base64')))
}

function toSigningKey(der: Buffer): SigningKey {
  const privateKey = readKey(() => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
  if (privateKey) {
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    return { algorithm: toAlgorithm(privateKey), privateKey: pem }
  }
  const publicKey = readKey(() => createPublicKey({ key: der, format: 'der', type: 'spki' }))
  if (!publicKey) throw new TypeError(`${encoding}. ${fix}`)
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString()
  return { algorithm: toAlgorithm(publicKey), publicKey: pem }
}

function readKey(read: () => KeyObject | undefined): KeyObject | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function toAlgorithm({ asymmetricKeyType: type }: KeyObject): SigningKey['algorithm'] {
  if (type === 'ec') return 'ES256'
  if (type === 'rsa') return 'RS256'
  throw new TypeError(`${encoding}: one is none of ES256 or RS256. ${fix}`)
}
