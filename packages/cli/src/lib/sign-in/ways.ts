export const factorNames = ['totp', 'passkeys'] as const

export type FactorName = (typeof factorNames)[number]

export const signInPackage = '@create-api/sign-in'

// A provider as the generated code creates it.
export interface Provider {
  readonly name: string
  readonly preset: string
  // The environment variables.
  readonly id: string
  readonly secret: string
  readonly issuer: string | undefined
}

const presets = new Map([
  ['google', 'google'],
  ['microsoft', 'microsoft'],
  ['github', 'github'],
  ['openid', 'openId'],
])

export const providerNames = [...presets.keys()]

export function toProvider(name: string): Provider {
  const word = name.toUpperCase()
  return {
    name,
    preset: presets.get(name) ?? name,
    id: `${word}_CLIENT_ID`,
    secret: `${word}_CLIENT_SECRET`,
    issuer: name === 'openid' ? 'OPENID_ISSUER' : undefined,
  }
}

// With the versions that the package works with.
export function listPackages({ passkeys, providers }: Readonly<Record<string, boolean>>): string[] {
  return [
    signInPackage,
    ...(passkeys ? ['@simplewebauthn/server@14'] : []),
    ...(providers ? ['jose@6', 'openid-client@6'] : []),
  ]
}
