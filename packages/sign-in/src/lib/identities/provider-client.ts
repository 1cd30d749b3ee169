import { createRemoteJWKSet, customFetch as keyFetch, type JWTVerifyGetKey, jwtVerify } from 'jose'
import * as client from 'openid-client'
import { isLoopback } from './loopback.ts'
import { createProviderFetch, ProviderFailure } from './provider-fetch.ts'
import { type IdentityProvider, type ProviderClaims, type ProviderFetch } from './provider.ts'

/** An authorization request. */
export interface Authorization {
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  /** Of PKCE (RFC 7636). */
  readonly codeVerifier: string
}

/** Tokens of a provider. */
export interface StoredTokens {
  readonly accessToken: string
  readonly refreshToken?: string | undefined
  /** Milliseconds since the epoch; undefined when the provider did not say. */
  readonly expiresAt?: number | undefined
}

export interface ProviderLogin {
  readonly claims: ProviderClaims
  readonly tokens: StoredTokens
}

// A provider on the network. Its functions throw ProviderFailure and the errors of `openid-client` and `jose`.
export interface ProviderClient {
  readonly provider: IdentityProvider
  readonly toUrl: (authorization: Authorization) => Promise<string>
  /** `search` is the query of the callback. */
  readonly exchange: (authorization: Authorization, search: string) => Promise<ProviderLogin>
  /** Undefined where the provider issues no ID tokens. */
  readonly verify: ((idToken: string, nonce: string) => Promise<ProviderClaims>) | undefined
  readonly refresh: (refreshToken: string) => Promise<StoredTokens>
}

export interface ProviderClientOptions {
  readonly send: ProviderFetch
  /** In milliseconds. */
  readonly timeout: number
  readonly now: () => number
}

// Signatures by private keys only: with a symmetric algorithm, the public key would be the secret.
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')
const discoveryLifetime = 3_600_000
const clockTolerance = 60

export function createProviderClient(
  provider: IdentityProvider,
  { now, send, timeout }: ProviderClientOptions,
): ProviderClient {
  const { issuer, parameters, readClaims, scopes } = provider
  const ownFetch = createProviderFetch({ issuer, send, timeout })
  const load = cache(() => configure(provider, ownFetch, timeout), now)
  const findKeys = createKeyCache(ownFetch)
  const verify = async (idToken: string, nonce: string): Promise<ProviderClaims> => {
    const metadata = (await load()).serverMetadata()
    const keys = findKeys(metadata.jwks_uri)
    return verifyIdToken({ provider, issuer: metadata.issuer, keys, now }, idToken, nonce)
  }
  return {
    provider,
    async toUrl({ codeVerifier, nonce, redirectUri, state }) {
      const url = client.buildAuthorizationUrl(await load(), {
        ...parameters,
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        state,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(readClaims ? {} : { nonce }),
      })
      return url.href
    },
    async exchange({ codeVerifier, nonce, redirectUri, state }, search) {
      const config = await load()
      const grant = await client.authorizationCodeGrant(config, new URL(redirectUri + search), {
        expectedState: state,
        pkceCodeVerifier: codeVerifier,
        ...(readClaims ? {} : { expectedNonce: nonce }),
      })
      const claims = readClaims
        ? await readClaims(ownFetch, grant.access_token)
        : await addUserInfo(config, grant.access_token, await verify(grant.id_token ?? '', nonce))
      return { claims, tokens: toTokens(grant, now) }
    },
    verify: readClaims ? undefined : verify,
    async refresh(refreshToken) {
      const grant = await client.refreshTokenGrant(await load(), refreshToken)
      return { refreshToken, ...toTokens(grant, now) }
    },
  }
}

async function configure(
  provider: IdentityProvider,
  send: ProviderFetch,
  timeout: number,
): Promise<client.Configuration> {
  const { issuer, metadata, options } = provider
  const url = new URL(issuer)
  const auth = chooseAuth(provider)
  const extensions = isLoopback(url) ? [client.allowInsecureRequests] : []
  // In seconds; `send` has the exact limit.
  const limits = { [client.customFetch]: send, timeout: Math.ceil(timeout / 1000) + 1 }
  if (!metadata) {
    const request = { ...limits, execute: extensions }
    return client.discovery(url, options.clientId, undefined, auth, request)
  }
  const configuration = new client.Configuration(metadata, options.clientId, undefined, auth)
  for (const extend of extensions) extend(configuration)
  return Object.assign(configuration, limits)
}

// Providers of a discovery document without the member support only `client_secret_basic`; GitHub has no document.
function chooseAuth({ clientAuth, clientSecret }: IdentityProvider): client.ClientAuth {
  if (clientAuth) return clientAuth
  if (clientSecret === undefined) return client.None()
  const [post, basic] = [
    client.ClientSecretPost(clientSecret),
    client.ClientSecretBasic(clientSecret),
  ]
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const choose = methods.includes('client_secret_post') ? post : basic
    choose(server, ...request)
  }
}

// Loads a value at its first use, and again after an hour. If that fails, the old one is used until the next hour.
function cache<T>(load: () => Promise<T>, now: () => number): () => Promise<T> {
  let current: { readonly loadedAt: number; readonly value: Promise<T> } | undefined
  return () => {
    if (current && now() - current.loadedAt < discoveryLifetime) return current.value
    const previous = current?.value
    const value = load().catch((error: unknown) => {
      current = undefined
      if (previous) return previous
      throw error
    })
    current = { loadedAt: now(), value }
    return value
  }
}

function createKeyCache(send: ProviderFetch): (url: string | undefined) => JWTVerifyGetKey {
  const known = new Map<string, JWTVerifyGetKey>()
  return (url) => {
    if (url === undefined) throw new ProviderFailure('the discovery document has no jwks_uri')
    const keys = known.get(url) ?? createRemoteJWKSet(new URL(url), { [keyFetch]: send })
    known.set(url, keys)
    return keys
  }
}

interface Expected {
  readonly provider: IdentityProvider
  /** That of the discovery document. */
  readonly issuer: string
  readonly keys: JWTVerifyGetKey
  readonly now: () => number
}

// OpenID Connect Core, section 3.1.3.7.
async function verifyIdToken(
  { issuer, keys, now, provider }: Expected,
  idToken: string,
  nonce: string,
): Promise<ProviderClaims> {
  const audience = [provider.options.clientId, ...(provider.options.audiences ?? [])]
  const { payload } = await jwtVerify(idToken, keys, {
    algorithms,
    audience,
    requiredClaims: ['iss', 'sub', 'iat', 'exp', 'nonce'],
    clockTolerance,
    currentDate: new Date(now()),
  })
  const { aud, azp, iat = Infinity, nonce: ownNonce, tid } = payload
  const expected = issuer.replace('{tenantid}', () => String(tid))
  const isIssuer = [expected, ...provider.aliases].includes(String(payload.iss))
  const hasParty =
    azp === undefined
      ? typeof aud === 'string' || aud?.length === 1
      : typeof azp === 'string' && audience.includes(azp)
  const isPast = iat <= now() / 1000 + clockTolerance
  if (!isIssuer || !hasParty || !isPast || ownNonce !== nonce) {
    throw new Error('The ID token is not one of this login.')
  }
  return { ...payload, iss: expected }
}

// Some providers have the address at the UserInfo endpoint only (OpenID Connect Core, section 5.4).
async function addUserInfo(
  configuration: client.Configuration,
  accessToken: string,
  claims: ProviderClaims,
): Promise<ProviderClaims> {
  const hasEndpoint = configuration.serverMetadata().userinfo_endpoint !== undefined
  if (!hasEndpoint || claims['email'] !== undefined) return claims
  const info = await client.fetchUserInfo(configuration, accessToken, String(claims['sub']))
  return { ...info, ...claims }
}

function toTokens(grant: Grant, now: () => number): StoredTokens {
  const { access_token: accessToken, expires_in: lifetime, refresh_token: refreshToken } = grant
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(lifetime === undefined ? {} : { expiresAt: now() + lifetime * 1000 }),
  }
}

type Grant = Pick<client.TokenEndpointResponse, 'access_token' | 'expires_in' | 'refresh_token'>
