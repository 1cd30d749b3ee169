import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import { type Secrets } from './parse-secrets.ts'

/** An asymmetric key for access tokens, for APIs whose tokens are verified by other services. */
export interface SigningKey {
  /** JWS algorithm of the key (RFC 7518 section 3.1); the same for all keys of a list. */
  algorithm: 'ES256' | 'RS256'
  /**
   * PEM of the private key. Required for the first key of a list; the others only verify.
   * @default undefined
   */
  privateKey?: string | undefined
  /**
   * PEM of the public key.
   * @default derived from the private key
   */
  publicKey?: string | undefined
  /**
   * Id of the key in the header of its tokens (RFC 7515 section 4.1.4).
   * @default derived from the public key
   */
  kid?: string | undefined
}

// A set of public keys (RFC 7517 section 5).
export interface JsonWebKeySet {
  /** Empty with HS256, whose keys are secret. */
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

export interface KeyRing {
  /** Of access tokens. */
  readonly algorithm: 'HS256' | 'ES256' | 'RS256'
  /** Signs new access tokens. */
  readonly signing: { readonly kid: string; readonly key: KeyObject }
  /** Verify access tokens, by `kid`. */
  readonly verifying: ReadonlyMap<string, KeyObject>
  /** HMAC keys of refresh tokens: the first creates, all verify. */
  readonly refresh: readonly [KeyObject, ...KeyObject[]]
  /** Public halves of the verifying keys. */
  readonly jwks: JsonWebKeySet
}

// One secret gives independent keys for access and refresh tokens (HKDF-SHA256, RFC 5869), so that neither
// kind can be used as the other. Without signing keys, access tokens use HS256. The options have
// checked secrets and signing keys: parse-secrets.ts, parse-signing-keys.ts.
export function createKeyRing(
  [secret, ...older]: Secrets,
  signingKeys: readonly SigningKey[] = [],
): KeyRing {
  const access = toKeyPairs(signingKeys) ?? toSecretKeys(secret, older)
  return { ...access, refresh: [toRefreshKey(secret), ...older.map(toRefreshKey)] }
}

function toRefreshKey(secret: string): KeyObject {
  return deriveKey(secret, 'refresh')
}

function deriveKey(secret: string, purpose: 'access' | 'refresh'): KeyObject {
  const bytes = hkdfSync('sha256', secret, 'create-api', `auth ${purpose} v1`, 32)
  return createSecretKey(Buffer.from(bytes))
}

type AccessKeys = Omit<KeyRing, 'refresh'>

function toSecretKeys(secret: string, older: readonly string[]): AccessKeys {
  const signing = toSecretKey(secret)
  const verifying = new Map([signing, ...older.map(toSecretKey)].map(({ kid, key }) => [kid, key]))
  return { algorithm: 'HS256', signing, verifying, jwks: { keys: [] } }
}

function toSecretKey(secret: string): KeyRing['signing'] {
  const key = deriveKey(secret, 'access')
  // The HMAC of a fixed text identifies the key and reveals nothing about it.
  const kid = createHmac('sha256', key).update('kid').digest('base64url').slice(0, 12)
  return { kid, key }
}

function toKeyPairs(signingKeys: readonly SigningKey[]): AccessKeys | undefined {
  const pairs = signingKeys.map(toKeyPair)
  const [first] = pairs
  if (!first?.privateKey) return undefined
  return {
    algorithm: first.algorithm,
    signing: { kid: first.kid, key: createPrivateKey(first.privateKey) },
    verifying: new Map(pairs.map((pair) => [pair.kid, pair.publicKey])),
    jwks: { keys: pairs.map((pair) => pair.jwk) },
  }
}

interface KeyPair extends Pick<SigningKey, 'algorithm' | 'privateKey'> {
  readonly kid: string
  readonly publicKey: KeyObject
  readonly jwk: Readonly<Record<string, unknown>>
}

function toKeyPair(options: SigningKey): KeyPair {
  const { algorithm, privateKey } = options
  const publicKey = toPublicKey(options)
  const kid = options.kid ?? toKeyId(publicKey)
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: algorithm, use: 'sig' }
  return { algorithm, privateKey, kid, publicKey, jwk }
}

export function toPublicKey({ publicKey, privateKey = '' }: SigningKey): KeyObject {
  return createPublicKey(publicKey ?? privateKey)
}

function toKeyId(key: KeyObject): string {
  const der = key.export({ format: 'der', type: 'spki' })
  return createHmac('sha256', 'kid').update(der).digest('base64url').slice(0, 12)
}
