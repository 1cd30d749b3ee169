import { expect, it } from 'vitest'
import { toKeyUri } from './totp.ts'

it.each(['Shop: Europe', 'Shop:Europe', 'Shop Europe'])(
  'names the service %j without a colon',
  (service) => {
    expect(toKeyUri('JBSWY3DPEHPK3PXP', service, 'ada@x.io')).toMatch(
      /^otpauth:\/\/totp\/Shop%20Europe:ada%40x\.io\?issuer=Shop%20Europe&/,
    )
  },
)
