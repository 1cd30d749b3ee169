import { isoCBOR } from '@simplewebauthn/server/helpers'
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import {
  type AuthenticationResponseJSON,
  type CreationOptionsJSON,
  type RegistrationResponseJSON,
  type RequestOptionsJSON,
} from '@create-api/sign-in/passkeys'

export const origin = 'https://app.example.com'

type Algorithm = 'ES256' | 'EdDSA' | 'RS256' | 'ES384'

/** What an authenticator, or an attacker, does in another way. */
export interface Behaviour {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  readonly crossOrigin?: boolean
  /** Whether it verifies the user. */
  readonly verifies?: boolean
  readonly present?: boolean
  readonly backupEligible?: boolean
  readonly backedUp?: boolean
  readonly counter?: number
  readonly algorithm?: Algorithm
  /** The algorithm that the key of the credential names. */
  readonly named?: number
  readonly format?: string
  readonly statement?: Map<string, unknown>
  readonly credentialId?: string
  readonly userHandle?: string | null
}

export interface Credential {
  readonly id: string
  readonly rpId: string
  readonly userHandle: string
  readonly privateKey: KeyObject
  readonly hash: string | null
  counter: number
}

/** Creates a credential as an authenticator does (Web Authentication Level 3, section 6.3.2). */
export function createCredential(
  options: CreationOptionsJSON,
  behaviour: Behaviour = {},
): { credential: Credential; response: RegistrationResponseJSON } {
  const { algorithm = 'ES256', rpId = options.rp.id } = behaviour
  const { hash, key, privateKey } = createKey(algorithm, behaviour.named)
  const id = behaviour.credentialId ?? randomBytes(16).toString('base64url')
  const idBytes = Buffer.from(id, 'base64url')
  const counter = behaviour.counter ?? 1
  const length = Buffer.alloc(2)
  length.writeUInt16BE(idBytes.length)
  const authData = Buffer.concat([
    toAuthenticatorData(rpId, counter, behaviour, 0x40),
    Buffer.alloc(16),
    length,
    idBytes,
    encode(key),
  ])
  const attestationObject = encode(
    new Map<string, unknown>([
      ['fmt', behaviour.format ?? 'none'],
      ['attStmt', behaviour.statement ?? new Map()],
      ['authData', new Uint8Array(authData)],
    ]),
  )
  const response = {
    ...toResponse(id),
    response: {
      clientDataJSON: toClientData('webauthn.create', options.challenge, behaviour),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal', 'hybrid'],
      // Members that browsers add.
      publicKeyAlgorithm: -7,
    },
    authenticatorAttachment: 'platform',
    clientExtensionResults: { credProps: { rk: true } },
  }
  const userHandle = options.user.id
  return { credential: { id, rpId, userHandle, privateKey, hash, counter }, response }
}

/** Signs a challenge as an authenticator does (Web Authentication Level 3, section 6.3.3). */
export function signChallenge(
  credential: Credential,
  options: RequestOptionsJSON,
  behaviour: Behaviour = {},
): AuthenticationResponseJSON {
  const { counter = (credential.counter += 1), rpId = options.rpId, userHandle } = behaviour
  const authData = toAuthenticatorData(rpId, counter, behaviour)
  const clientDataJSON = toClientData('webauthn.get', options.challenge, behaviour)
  const clientDataHash = createHash('sha256').update(clientDataJSON, 'base64url').digest()
  const signature = sign(
    credential.hash,
    Buffer.concat([authData, clientDataHash]),
    credential.privateKey,
  )
  return {
    ...toResponse(behaviour.credentialId ?? credential.id),
    response: {
      clientDataJSON,
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: userHandle === undefined ? credential.userHandle : userHandle,
    },
  }
}

function toResponse(id: string): { id: string; rawId: string; type: 'public-key' } {
  return { id, rawId: id, type: 'public-key' }
}

function toAuthenticatorData(
  rpId: string,
  counter: number,
  { backedUp = false, backupEligible = false, present = true, verifies = true }: Behaviour,
  others = 0,
): Buffer {
  const flags =
    others |
    (present ? 0x01 : 0) |
    (verifies ? 0x04 : 0) |
    (backupEligible ? 0x08 : 0) |
    (backedUp ? 0x10 : 0)
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count])
}

function toClientData(type: string, challenge: string, behaviour: Behaviour): string {
  const data = { type, challenge, origin, crossOrigin: false }
  const { challenge: other = challenge, crossOrigin = false, ...changes } = behaviour
  const signed = {
    ...data,
    challenge: other,
    crossOrigin,
    ...(changes.type !== undefined && { type: changes.type }),
    ...(changes.origin !== undefined && { origin: changes.origin }),
  }
  return Buffer.from(JSON.stringify(signed)).toString('base64url')
}

interface Key {
  readonly privateKey: KeyObject
  readonly hash: string | null
  /** COSE key (RFC 9053). */
  readonly key: Map<number, unknown>
}

function createKey(algorithm: Algorithm, named?: number): Key {
  if (algorithm === 'EdDSA') {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const { x } = publicKey.export({ format: 'jwk' })
    const key = new Map<number, unknown>([
      [1, 1],
      [3, named ?? -8],
      [-1, 6],
      [-2, toBytes(x)],
    ])
    return { privateKey, hash: null, key }
  }
  if (algorithm === 'RS256') {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const { e, n } = publicKey.export({ format: 'jwk' })
    const key = new Map<number, unknown>([
      [1, 3],
      [3, named ?? -257],
      [-1, toBytes(n)],
      [-2, toBytes(e)],
    ])
    return { privateKey, hash: 'sha256', key }
  }
  const [namedCurve, curve, id, hash] =
    algorithm === 'ES256'
      ? (['P-256', 1, -7, 'sha256'] as const)
      : (['P-384', 2, -35, 'sha384'] as const)
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const key = new Map<number, unknown>([
    [1, 2],
    [3, named ?? id],
    [-1, curve],
    [-2, toBytes(x)],
    [-3, toBytes(y)],
  ])
  return { privateKey, hash, key }
}

function toBytes(text = ''): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64url'))
}

function encode(value: Map<number | string, unknown>): Buffer {
  return Buffer.from(isoCBOR.encode(value as Parameters<typeof isoCBOR.encode>[0]))
}
