import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import {
  decodeAttestationObject,
  decodeClientDataJSON,
  isoBase64URL,
  isoCBOR,
} from '@simplewebauthn/server/helpers'
import { toDigest } from '../digest.ts'
import { type PasskeyDocument } from './passkey-models.ts'
import { type PasskeySettings } from './passkey-options.ts'
import {
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
} from './passkey-schemas.ts'

// Algorithms with the type and the curve of their keys (RFC 9053): EdDSA, ES256 and RS256.
const keyKinds = new Map<unknown, readonly [type: number, curve?: number]>([
  [-8, [1, 6]],
  [-7, [2, 1]],
  [-257, [3]],
])

export const algorithms = Array.from(keyKinds.keys(), Number)

// What is stored of a passkey that was verified.
export type VerifiedPasskey = Pick<
  PasskeyDocument,
  'backedUp' | 'backupEligible' | 'counter' | 'credentialId' | 'publicKey' | 'transports'
>

interface Expected {
  readonly settings: PasskeySettings
  /** Digest of the challenge. */
  readonly challenge: string
}

// Web Authentication Level 3, section 7.1; undefined when it is not valid.
export async function verifyRegistration(
  credential: RegistrationResponseJSON,
  { challenge, settings }: Expected,
): Promise<VerifiedPasskey | undefined> {
  const { attestationObject, clientDataJSON, transports = [] } = credential.response
  return orUndefined(async () => {
    requireSameOrigin(clientDataJSON)
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...credential,
        response: { clientDataJSON, attestationObject: withoutStatement(attestationObject) },
        clientExtensionResults: {},
      },
      ...toExpected(challenge, settings),
      supportedAlgorithmIDs: algorithms,
      requireUserVerification: settings.userVerification === 'required',
    })
    if (registrationInfo?.credential.id !== credential.id) return undefined
    if (!isKeyOfItsAlgorithm(registrationInfo.credential.publicKey)) return undefined
    const { credential: key, credentialBackedUp, credentialDeviceType } = registrationInfo
    return {
      credentialId: key.id,
      publicKey: isoBase64URL.fromBuffer(key.publicKey),
      counter: key.counter,
      transports: [...transports],
      backupEligible: credentialDeviceType === 'multiDevice',
      backedUp: credentialBackedUp,
    }
  })
}

interface ExpectedAssertion extends Expected, Pick<PasskeySettings, 'userVerification'> {
  readonly passkey: PasskeyDocument
}

interface VerifiedAssertion {
  readonly userVerified: boolean
  readonly counter: number
  readonly backedUp: boolean
}

// Web Authentication Level 3, section 7.2, without the comparison of the counter; undefined when it is not valid.
export async function verifyAssertion(
  { response, ...credential }: AuthenticationResponseJSON,
  { challenge, passkey, settings, userVerification }: ExpectedAssertion,
): Promise<VerifiedAssertion | undefined> {
  const { backupEligible, credentialId, publicKey } = passkey
  const { authenticatorData, clientDataJSON, signature } = response
  return orUndefined(async () => {
    requireSameOrigin(clientDataJSON)
    const key = isoBase64URL.toBuffer(publicKey)
    if (isOfCurve(key) && !isCanonical(isoBase64URL.toBuffer(signature))) return undefined
    const { authenticationInfo, verified } = await verifyAuthenticationResponse({
      response: {
        ...credential,
        response: { authenticatorData, clientDataJSON, signature },
        clientExtensionResults: {},
      },
      ...toExpected(challenge, settings),
      requireUserVerification: userVerification === 'required',
      // The counter is compared by the update that stores it.
      credential: { id: credentialId, publicKey: key, counter: 0 },
    })
    const isEligible = authenticationInfo.credentialDeviceType === 'multiDevice'
    if (!verified || isEligible !== backupEligible) return undefined
    return {
      userVerified: authenticationInfo.userVerified,
      counter: authenticationInfo.newCounter,
      backedUp: authenticationInfo.credentialBackedUp,
    }
  })
}

// The type decides how signatures are verified, and the library does not compare it with the algorithm.
function isKeyOfItsAlgorithm(publicKey: Parameters<typeof isoBase64URL.fromBuffer>[0]): boolean {
  const key = isoCBOR.decodeFirst<ReadonlyMap<unknown, unknown>>(publicKey)
  const [type, curve] = keyKinds.get(key.get(3)) ?? []
  return key.get(1) === type && (curve === undefined || key.get(-1) === curve)
}

function isOfCurve(publicKey: Parameters<typeof isoBase64URL.fromBuffer>[0]): boolean {
  return isoCBOR.decodeFirst<ReadonlyMap<unknown, unknown>>(publicKey).get(1) === 2
}

// Whether a signature of ES256 is a sequence of two numbers in DER (section 6.5.5): the library also reads other encodings, and
// then a signature would have several forms.
function isCanonical(signature: Uint8Array): boolean {
  const [sequence, length] = signature
  const second = findEnd(signature, 2)
  return (
    sequence === 0x30 &&
    length === signature.length - 2 &&
    findEnd(signature, second) === signature.length
  )
}

// Where the positive number at a position ends; NaN if there is none in its shortest form.
function findEnd(bytes: Uint8Array, at: number): number {
  const [type, length = 0, first = 0, next = 0] = bytes.subarray(at, at + 4)
  const isShortest = first === 0 ? next > 0x7f : first < 0x80
  return type === 2 && length > 0 && length <= 33 && isShortest ? at + 2 + length : Number.NaN
}

function toExpected(
  challenge: string,
  { id, origins }: PasskeySettings,
): Pick<
  Parameters<typeof verifyAuthenticationResponse>[0],
  'expectedChallenge' | 'expectedOrigin' | 'expectedRPID'
> {
  return {
    expectedChallenge: (signed) => toDigest(signed) === challenge,
    expectedOrigin: [...origins],
    expectedRPID: id,
  }
}

// The library reports what is not valid by errors.
async function orUndefined<T>(verify: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await verify()
  } catch {
    return undefined
  }
}

// A page of another origin has embedded ours.
function requireSameOrigin(clientDataJSON: string): void {
  if (decodeClientDataJSON(clientDataJSON).crossOrigin) throw new Error('cross origin')
}

// An attestation was not requested, and would not be trusted: its certificates are not read.
function withoutStatement(attestationObject: string): string {
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject)).get('authData')
  const none = new Map<string, Parameters<typeof isoCBOR.encode>[0]>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ])
  return isoBase64URL.fromBuffer(isoCBOR.encode(none))
}
