import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'

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
// kind can be used as the other. Without signing keys, access tokens use HS256. Throws TypeError when there
// is no secret, a secret is shorter than 32 bytes, or a key does not fit its algorithm.
export function createKeyRing(
  secrets: readonly string[],
  signingKeys: readonly SigningKey[] = [],
): KeyRing {
  const refresh = secrets.map((secret) => deriveKey(requireSecret(secret), 'refresh'))
  const [first, ...others] = refresh
  if (!first) throw new TypeError('auth.secrets needs at least one secret.')
  const access = signingKeys.length > 0 ? toKeyPairs(signingKeys) : toSecretKeys(secrets)
  return { ...access, refresh: [first, ...others] }
}

// The number of bytes that a secret represents: base64, base64url and hex are decoded first.
export function countSecretBytes(secret: string): number {
  if (/^([0-9a-f]{2})+$/i.test(secret)) return secret.length / 2
  if (/^[\w+/-]+={0,2}$/.test(secret)) return Buffer.from(secret, 'base64').length
  return Buffer.byteLength(secret)
}

function requireSecret(secret: string): string {
  if (typeof secret !== 'string' || countSecretBytes(secret) < 32) {
    throw new TypeError(
      'auth.secrets: a secret has fewer than 32 bytes (RFC 7518 section 3.2). Create one: openssl rand -base64 32',
    )
  }
  return secret
}

function deriveKey(secret: string, purpose: 'access' | 'refresh'): KeyObject {
  const bytes = hkdfSync('sha256', secret, 'create-api', `auth ${purpose} v1`, 32)
  return createSecretKey(Buffer.from(bytes))
}

type AccessKeys = Omit<KeyRing, 'refresh'>

function toSecretKeys(secrets: readonly string[]): AccessKeys {
  const keys = secrets.map((secret) => {
    const key = deriveKey(secret, 'access')
    // The HMAC of a fixed text identifies the key and reveals nothing about it.
    const kid = createHmac('sha256', key).update('kid').digest('base64url').slice(0, 12)
    return { kid, key }
  })
  const verifying = new Map(keys.map(({ kid, key }) => [kid, key]))
  return { algorithm: 'HS256', signing: requireFirst(keys), verifying, jwks: { keys: [] } }
}

function toKeyPairs(signingKeys: readonly SigningKey[]): AccessKeys {
  const pairs = signingKeys.map(toKeyPair)
  const { algorithm, kid, privateKey } = requireFirst(pairs)
  if (!privateKey) throw new TypeError('auth.signingKeys: the first key needs a privateKey.')
  if (pairs.some((pair) => pair.algorithm !== algorithm)) {
    throw new TypeError('auth.signingKeys: all keys must have the same algorithm.')
  }
  return {
    algorithm,
    signing: { kid, key: privateKey },
    verifying: new Map(pairs.map((pair) => [pair.kid, pair.publicKey])),
    jwks: { keys: pairs.map((pair) => pair.jwk) },
  }
}

function toKeyPair(options: SigningKey): {
  algorithm: SigningKey['algorithm']
  kid: string
  privateKey: KeyObject | undefined
  publicKey: KeyObject
  jwk: Readonly<Record<string, unknown>>
} {
  const { algorithm } = options
  const pem = options.publicKey ?? options.privateKey
  if (pem === undefined)
    throw new TypeError('auth.signingKeys: a key has neither a privateKey nor a publicKey.')
  const publicKey = createPublicKey(pem)
  requireFit(publicKey, algorithm)
  const exported = publicKey.export({ format: 'jwk' })
  const kid = options.kid ?? toKeyId(publicKey)
  return {
    algorithm,
    kid,
    privateKey: options.privateKey === undefined ? undefined : createPrivateKey(options.privateKey),
    publicKey,
    jwk: { ...exported, kid, alg: algorithm, use: 'sig' },
  }
}

function requireFit(key: KeyObject, algorithm: SigningKey['algorithm']): void {
  const details = key.asymmetricKeyDetails
  const fits =
    algorithm === 'ES256'
      ? key.asymmetricKeyType === 'ec' && details?.namedCurve === 'prime256v1'
      : key.asymmetricKeyType === 'rsa' && (details?.modulusLength ?? 0) >= 2048
  if (!fits) {
    throw new TypeError(
      `auth.signingKeys: ${algorithm} needs ${algorithm === 'ES256' ? 'an EC key on P-256' : 'an RSA key of 2048 bits or more'}.`,
    )
  }
}

function toKeyId(key: KeyObject): string {
  const der = key.export({ format: 'der', type: 'spki' })
  return createHmac('sha256', 'kid').update(der).digest('base64url').slice(0, 12)
}

function requireFirst<T>(list: readonly T[]): T {
  const [first] = list
  if (first === undefined) throw new TypeError('auth.secrets needs at least one secret.')
  return first
}
