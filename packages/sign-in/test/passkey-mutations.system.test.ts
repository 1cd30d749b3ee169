import { passkeys } from '@create-api/sign-in/passkeys'
import { randomBytes, randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createCredential, type Credential, signChallenge } from './authenticator.ts'
import { createTestBed, register, type Service } from './fixture.ts'

const bed = createTestBed()
const rounds = 1000

async function start(): Promise<{
  service: Service
  caller: { userId: string; sessionId: string }
}> {
  const service = await bed.start({
    passkeys: passkeys({ id: 'example.com', origins: ['https://app.example.com'] }),
  })
  const { id: userId } = await register(service)
  const [session] = await service.auth.sessions.list(userId)
  return { service, caller: { userId, sessionId: String(session?._id) } }
}

async function addPasskey(
  service: Service,
  caller: { userId: string; sessionId: string },
): Promise<Credential> {
  const { publicKey, requestToken } = await service.auth.passkeys.beginRegistration(caller)
  const { credential, response } = createCredential(publicKey)
  await service.auth.passkeys.completeRegistration(caller, { requestToken, credential: response })
  return credential
}

/** Changes the bytes of base64url text: a bit, a byte, the length, or all of them. */
function mutate(text: string): string {
  const bytes = Buffer.from(text, 'base64url')
  const at = randomInt(bytes.length)
  const changes = [
    () => bytes.fill((bytes[at] ?? 0) ^ (1 << randomInt(8)), at, at + 1),
    () => bytes.fill(((bytes[at] ?? 0) + randomInt(1, 256)) % 256, at, at + 1),
    () => bytes.subarray(0, at),
    () => Buffer.concat([bytes.subarray(0, at), randomBytes(1), bytes.subarray(at)]),
    () => randomBytes(bytes.length),
  ]
  return (changes[randomInt(changes.length)]?.() ?? bytes).toString('base64url')
}

function mutateMember<T extends object>(value: T, members: readonly (keyof T)[]): T {
  const member = members[randomInt(members.length)] ?? members[0]
  const text = member === undefined ? '' : String(value[member])
  return member === undefined ? value : { ...value, [member]: mutate(text) }
}

async function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'accepted',
    (error: unknown) => String(Object(error).code),
  )
}

describe('attacks on passkeys', () => {
  it(`PSK-01 ${rounds} random changes of a valid assertion are all rejected`, async () => {
    const { caller, service } = await start()
    const credential = await addPasskey(service, caller)
    const outcomes = new Set<string>()
    for (let round = 0; round < rounds; round += 1) {
      const { publicKey, requestToken } = await service.auth.passkeys.beginLogin()
      const valid = signChallenge(credential, publicKey)
      const changed =
        round % 5 === 0
          ? mutateMember(valid, ['id', 'rawId'])
          : {
              ...valid,
              response: mutateMember(valid.response, [
                'authenticatorData',
                'clientDataJSON',
                'signature',
                'userHandle',
              ]),
            }
      if (JSON.stringify(changed) === JSON.stringify(valid)) continue
      const input = { requestToken, credential: changed }
      outcomes.add(await outcomeOf(service.auth.passkeys.completeLogin(input)))
    }
    expect([...outcomes].toSorted()).toEqual(['invalid_passkey', 'validation_failed'])
    const { publicKey, requestToken } = await service.auth.passkeys.beginLogin()
    const input = { requestToken, credential: signChallenge(credential, publicKey) }
    expect(await outcomeOf(service.auth.passkeys.completeLogin(input))).toBe('accepted')
  })

  it(`${rounds} random changes of a valid registration cause no other errors`, async () => {
    const { caller, service } = await start()
    const outcomes = new Set<string>()
    for (let round = 0; round < rounds; round += 1) {
      const { publicKey, requestToken } = await service.auth.passkeys.beginRegistration(caller)
      const { response: valid } = createCredential(publicKey)
      const response = mutateMember(valid.response, ['attestationObject', 'clientDataJSON'])
      const input = { requestToken, credential: { ...valid, response } }
      outcomes.add(await outcomeOf(service.auth.passkeys.completeRegistration(caller, input)))
      await bed.connection().collection('passkeys').deleteMany({})
    }
    // The key itself is signed by nothing: another one is another passkey of the same user.
    const known = new Set(['accepted', 'invalid_passkey', 'validation_failed'])
    expect([...outcomes].filter((outcome) => !known.has(outcome))).toEqual([])
    expect(outcomes).toContain('invalid_passkey')
  })
})
