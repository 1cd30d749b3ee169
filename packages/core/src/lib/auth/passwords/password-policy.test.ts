import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { measureCpu } from '../../../../../../test/measure-growth.ts'
import { assetUrl } from '../../runtime/asset-url.ts'
import {
  createNewPasswordSchema,
  createPasswordPolicy,
  type PasswordPolicySettings,
} from './password-policy.ts'

function createPolicy(
  settings: Partial<PasswordPolicySettings> = {},
): (password: string, email?: string) => Promise<void> {
  const policy = createPasswordPolicy({
    minLength: 8,
    blocklist: true,
    blocked: [],
    serviceName: 'blogapi',
    isBreached: undefined,
    onBreachCheckFailed: () => {},
    ...settings,
  })
  return (password, email = 'ada@example.org') =>
    policy.requireUncommon(password, email, '#/password')
}

describe('createPasswordPolicy', () => {
  const requireUncommon = createPolicy()

  it.each([
    'password',
    'Password1',
    'P@ssw0rd',
    '12345678',
    'passwordpassword',
    '123456789012345',
    'qwertyuiopasdfgh',
    '1qaz2wsx',
    'aaaaaaaa',
    'abcabcabc',
    'iloveyou2',
    'monkey1999',
    '24121985',
    '19851224',
    'qwer1234',
    'trustno1',
    'qwerqwer',
    '!!dragons',
    'Gu1tar2024',
  ])('PWD-06 refuses the common password %s', async (password) => {
    await expect(requireUncommon(password)).rejects.toMatchObject({
      code: 'password_too_common',
      errors: [{ in: 'body', pointer: '#/password', code: 'password_too_common' }],
    })
  })

  it.each(['adaada12', 'AdaAdaAda1', 'blogapi1', '1blogapi'])(
    'PWD-06 refuses %s, built from the local part or the name of the service',
    async (password) => {
      await expect(requireUncommon(password)).rejects.toMatchObject({ code: 'password_too_common' })
    },
  )

  it('PWD-06 accepts a password that only contains such a word', async () => {
    await expect(requireUncommon('TestRiver42!', 'test@x.io')).resolves.toBeUndefined()
  })

  it.each([
    'correct horse battery staple',
    'TestRiver42!',
    'vK8#qpLw',
    'Ångström-long-pass',
    'monkey-39482',
    '73925846',
  ])('PWD-05 accepts %s without composition rules', async (password) => {
    await expect(requireUncommon(password)).resolves.toBeUndefined()
  })

  it('PWD-06 knows more than 3,000 common passwords of at least 8 characters', async () => {
    const list = readFileSync(assetUrl('common-passwords.txt'), 'utf8').split('\n')
    const longEnough = list.filter((password) => password.length >= 8)
    expect(longEnough.length).toBeGreaterThan(3000)
    expect(longEnough).toEqual(expect.arrayContaining(['baseball', 'computer', 'trustno1']))
    const accepted = await Promise.all(
      longEnough.map((password) =>
        requireUncommon(password.toUpperCase()).then(
          () => password,
          () => '',
        ),
      ),
    )
    expect(accepted.filter(Boolean)).toEqual([])
  })

  it('refuses the passwords of the configuration, with or without the blocklist', async () => {
    const refuse = createPolicy({ blocklist: false, blocked: ['Our-Old-Secret'] })
    await expect(refuse('our-old-SECRET')).rejects.toMatchObject({ code: 'password_too_common' })
    await refuse('password')
  })

  it('PWD-06 calls the breach check, and accepts the password when the check fails', async () => {
    const failures: unknown[] = []
    const options = { onBreachCheckFailed: (error: unknown) => failures.push(error) }
    const breached = createPolicy({ isBreached: async () => true })
    const down = createPolicy({
      ...options,
      isBreached: async () => Promise.reject(new Error('down')),
    })
    await expect(breached('vK8#qpLw')).rejects.toMatchObject({ code: 'password_too_common' })
    await down('vK8#qpLw')
    expect(failures).toEqual([new Error('down')])
  })
})

describe('createNewPasswordSchema', () => {
  const schema = createNewPasswordSchema(8)

  it.each([
    ['7 characters', 'vK8#qpL'],
    ['7 emoji', '🐎'.repeat(7)],
    ['129 characters', 'ä'.repeat(129)],
    ['90 kB', 'x'.repeat(90_000)],
    ['more than 1,024 bytes', '👩‍👩‍👧‍👦'.repeat(42)],
    ['a lone surrogate', 'long enough \ud800'],
  ])('PWD-02 PWD-03 PWD-07 refuses %s', (_, password) => {
    expect(schema.safeParse(password).success).toBe(false)
  })

  it.each([
    ['8 characters', 'vK8#qpLw'],
    ['8 emoji', '🐎'.repeat(8)],
    ['64 characters', 'x'.repeat(64)],
    ['128 characters', 'ä'.repeat(128)],
  ])('PWD-02 PWD-03 accepts %s', (_, password) => {
    expect(schema.parse(password)).toBe(password)
  })

  it('PWD-07 normalises to NFKC and changes nothing else', () => {
    expect(schema.parse('A\u030angstro\u0308m-long ')).toBe('Ångström-long ')
  })

  it('PWD-03 rejects 90 kB before it normalises them', async () => {
    const password = 'ﷺ'.repeat(30_000)
    const rejected = await measureCpu(() => schema.safeParse(password))
    expect(rejected).toBeLessThan((await measureCpu(() => password.normalize('NFKC'))) / 2)
  })
})
