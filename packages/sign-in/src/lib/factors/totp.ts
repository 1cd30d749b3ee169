import * as otp from 'otpauth'

// What authenticator applications support (RFC 6238 section 1.2).
const shape = { algorithm: 'SHA1', digits: 6, period: 30 } as const

export function createSecret(): string {
  return new otp.Secret({ size: 20 }).base32
}

// The Key URI, which applications read from a QR code. They split its label at a colon, also at one that is encoded.
export function toKeyUri(secret: string, service: string, account: string): string {
  const issuer = service.replaceAll(/:\s*/g, ' ')
  return new otp.TOTP({ ...shape, secret, issuer, label: account }).toString()
}

export function generateCode(secret: string, time: number): string {
  return new otp.TOTP({ ...shape, secret }).generate({ timestamp: time })
}

// The time step of a code: the current one, the one before or the one after (RFC 6238 section 5.2). Undefined for another
// code.
export function findTimeStep(secret: string, code: string, now: number): number | undefined {
  const totp = new otp.TOTP({ ...shape, secret })
  const delta = totp.validate({ token: code, timestamp: now, window: 1 })
  return delta === null ? undefined : Math.floor(now / (shape.period * 1000)) + delta
}
