import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { type ClientAuth } from 'openid-client'
import { readGithubClaims } from './github.ts'
import { isLoopback } from './loopback.ts'
import {
  type IdentityProvider,
  type ProviderClaims,
  type ProviderOptions,
  type SecretOptions,
} from './provider.ts'

/** Options for {@link microsoft}. */
export interface MicrosoftOptions extends SecretOptions {
  /**
   * Who can log in: the id of a tenant, `organizations`, `consumers` or `common`.
   * @default 'common', every account of Microsoft
   */
  readonly tenant?: string | undefined
}

/** Options for {@link github}. */
export interface GithubOptions extends Omit<SecretOptions, 'audiences'> {
  /**
   * Address of a GitHub Enterprise Server.
   * @default 'https://github.com'
   */
  readonly url?: string | undefined
}

/** Options for {@link apple}. */
export interface AppleOptions extends ProviderOptions {
  /** Id of the team, 10 characters. */
  readonly teamId: string
  /** Id of the key, 10 characters. */
  readonly keyId: string
  /** The private key in PEM, the content of the `.p8` file. */
  readonly privateKey: string
}

/** Options for {@link openId}. */
export interface OpenIdOptions extends SecretOptions {
  /** URL of the issuer, below which its discovery document is. */
  readonly issuer: string
}

/**
 * Logins with Google. By default, Google decides who owns an address of Gmail or of a Google Workspace (claim `hd`).
 * @param options - the client
 * @returns the provider, for `providers`
 * @throws TypeError when `clientId` is missing
 */
export function google(options: SecretOptions): IdentityProvider {
  return {
    ...openId({ trustEmail: isGoogleAddress, ...options, issuer: 'https://accounts.google.com' }),
    aliases: ['accounts.google.com'],
  }
}

/**
 * Logins with Microsoft Entra ID. An address counts as verified only with the optional claim `xms_edov`: users of any tenant can
 * set others. By default, no address is trusted.
 * @param options - the client and the tenant
 * @returns the provider, for `providers`
 * @throws TypeError when `clientId` is missing or `tenant` is not valid
 */
export function microsoft(options: MicrosoftOptions): IdentityProvider {
  const { tenant = 'common', ...others } = options
  if (!/^[\w.-]{1,100}$/.test(tenant)) {
    throw new TypeError("microsoft(): tenant must be the id of a tenant or 'common'.")
  }
  const issuer = `https://login.microsoftonline.com/${tenant}/v2.0`
  return { ...openId({ ...others, issuer }), verifiesEmail: isDomainOwner }
}

/**
 * Logins with GitHub, or a GitHub Enterprise Server (OAuth 2.0). The address is the primary one. By default, no address is
 * trusted.
 * @param options - the client
 * @returns the provider, for `providers`
 * @throws TypeError when `clientId` is missing or `url` is not valid
 */
export function github(options: GithubOptions): IdentityProvider {
  const { url = 'https://github.com', ...others } = options
  const origin = requireUrl('github(): url', url).origin
  const issuer = `${origin}/login/oauth`
  const api = url === 'https://github.com' ? 'https://api.github.com' : `${origin}/api/v3`
  return {
    ...openId({ ...others, issuer }),
    metadata: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/access_token`,
    },
    scopes: ['read:user', 'user:email', ...(options.scopes ?? [])],
    readClaims: (send, accessToken) => readGithubClaims(send, api, accessToken),
  }
}

/**
 * Logins with Apple. By default, Apple decides who owns an address of iCloud or of its relay.
 * @param options - the client, and the key that signs its secret
 * @returns the provider, for `providers`
 * @throws TypeError when an option is missing or `privateKey` is not a private key of P-256
 */
export function apple(options: AppleOptions): IdentityProvider {
  const { keyId, privateKey, teamId, ...others } = options
  for (const [name, value] of Object.entries({ keyId, teamId })) {
    if (!/^\w{10}$/.test(value)) throw new TypeError(`apple(): ${name} must have 10 characters.`)
  }
  const issuer = 'https://appleid.apple.com'
  const client = { issuer, clientId: options.clientId, key: readKey(privateKey), keyId, teamId }
  return {
    ...openId({ trustEmail: isAppleAddress, ...others, issuer }),
    clientAuth: createAppleAuth(client),
    scopes: ['openid', 'email', ...(options.scopes ?? [])],
    parameters: { response_mode: 'form_post', ...options.parameters },
  }
}

/**
 * Logins with any provider of OpenID Connect that has a discovery document. By default, no address is trusted.
 * @param options - the issuer and the client
 * @returns the provider, for `providers`
 * @throws TypeError when `clientId` is missing or `issuer` is not a URL of https, or of http on this machine
 * @example
 * ```ts
 * openId({ issuer: 'https://login.example.com', clientId: 'blog' })
 * ```
 */
export function openId(options: OpenIdOptions): IdentityProvider {
  const {
    clientId,
    clientSecret,
    issuer,
    parameters = {},
    scopes = [],
    trustEmail = false,
  } = options
  if (typeof clientId !== 'string' || clientId === '') {
    throw new TypeError(`The provider ${issuer} needs clientId: the id that it gave to the client.`)
  }
  requireUrl('openId(): issuer', issuer)
  return {
    issuer,
    metadata: undefined,
    aliases: [],
    options,
    clientAuth: undefined,
    clientSecret,
    scopes: ['openid', 'email', 'profile', ...scopes],
    parameters,
    verifiesEmail: isVerified,
    trustsEmail: typeof trustEmail === 'function' ? trustEmail : () => trustEmail,
    readClaims: undefined,
  }
}

function requireUrl(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))))
    return url
  throw new TypeError(`${name} must be a URL of https, or of http on this machine.`)
}

// Apple sends the text 'true'.
function isVerified({ email_verified: verified }: ProviderClaims): boolean {
  return verified === true || verified === 'true'
}

// The address may belong to a domain that its tenant does not own.
function isDomainOwner({ xms_edov: verified }: ProviderClaims): boolean {
  return verified === true || verified === 1 || verified === '1' || verified === 'true'
}

// For other addresses, the ownership may have changed since Google verified them.
function isGoogleAddress({ email, hd }: ProviderClaims): boolean {
  return typeof hd === 'string' || /@gmail\.com$/i.test(String(email))
}

function isAppleAddress({ email }: ProviderClaims): boolean {
  return /@(?:icloud\.com|me\.com|mac\.com|privaterelay\.appleid\.com)$/i.test(String(email))
}

function readKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key
  } catch {
    // Reported below: the message of OpenSSL does not say which option is wrong.
  }
  throw new TypeError('apple(): privateKey must be the content of the .p8 file that Apple issued.')
}

interface AppleClient {
  readonly issuer: string
  readonly clientId: string
  readonly key: KeyObject
  readonly keyId: string
  readonly teamId: string
}

const secretLifetime = 300

// The secret is a token that the client signs.
function createAppleAuth({ clientId, issuer, key, keyId, teamId }: AppleClient): ClientAuth {
  return (_server, _client, body) => {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: teamId, iat: now, exp: now + secretLifetime, aud: issuer, sub: clientId }
    const parts = [{ alg: 'ES256', kid: keyId }, claims]
    const text = parts
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
    body.set('client_id', clientId)
    body.set('client_secret', `${text}.${signature.toString('base64url')}`)
  }
}
