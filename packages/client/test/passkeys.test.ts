import { expect, it } from 'vitest'
import { canAutofillPasskeys, loginWithPasskey } from '../src/passkeys.ts'

const auth = {
  beginPasskeyLogin: async () => ({
    requestToken: 'a',
    expiresIn: 300,
    publicKey: { challenge: 'AAAA' },
  }),
  completePasskeyLogin: async () => 'tokens',
}

it('reports a platform without passkeys', async () => {
  await expect(loginWithPasskey(auth)).rejects.toThrow(
    'No passkeys: they need a browser, and a page with https or on localhost.',
  )
  expect(await canAutofillPasskeys()).toBe(false)
})
