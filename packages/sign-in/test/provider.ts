import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { createHash, randomBytes } from 'node:crypto'
import { type CryptoKey, exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach } from 'vitest'

type Claims = Record<string, unknown>
type Handler = (req: IncomingMessage, res: ServerResponse, body: URLSearchParams) => void

/** A provider of OpenID Connect on this machine, which can misbehave. */
export interface Provider {
  readonly url: string
  /** The account that logs in next. */
  claims: Claims
  /** Replaces what the endpoints of some paths do. */
  readonly handlers: Map<string, Handler>
  /** Changes the discovery document. */
  document: Claims
  /** Changes the claims of ID tokens of the token endpoint. */
  changes: Claims
  /** The requests to its endpoints. */
  readonly requests: { path: string; body: URLSearchParams; authorization: string | undefined }[]
  /** What the user does at the authorization endpoint: the URL that the browser is sent back to. */
  readonly authorize: (url: string) => string
  readonly sign: (claims: Claims, header?: Partial<JWTHeaderParameters>) => Promise<string>
  readonly publicPem: () => Promise<string>
}

/** The id of the client at every provider. */
export const clientId = 'blog'

/** Starts a provider for the tests of a file, which behaves well before each. */
export function startProvider(): Provider {
  let keys: { privateKey: CryptoKey; publicKey: CryptoKey }
  let origin = ''
  const codes = new Map<string, URLSearchParams>()
  const server = createServer((req, res) => void respond(req, res))
  beforeAll(async () => {
    keys = await generateKeyPair('RS256', { extractable: true })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  beforeEach(() => {
    provider.claims = { sub: 'ada', email: 'ada@x.io', email_verified: true, name: 'Ada' }
    provider.document = {}
    provider.changes = {}
    provider.handlers.clear()
    provider.requests.length = 0
  })

  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = new URL(req.url ?? '/', origin).pathname
    let text = ''
    for await (const part of req) text += String(part)
    const body = new URLSearchParams(text)
    provider.requests.push({ path, body, authorization: req.headers.authorization })
    const own = provider.handlers.get(path)
    if (own) return own(req, res, body)
    if (path === '/.well-known/openid-configuration') return send(res, toDocument())
    if (path === '/keys') return send(res, { keys: [await toKey()] })
    if (path === '/token') return send(res, ...(await exchange(body)))
    if (path === '/userinfo') return send(res, provider.claims)
    return send(res, {}, 404)
  }

  async function toKey(): Promise<object> {
    return { ...(await exportJWK(keys.publicKey)), kid: 'key', alg: 'RS256', use: 'sig' }
  }

  function toDocument(): Claims {
    return {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/keys`,
      userinfo_endpoint: `${origin}/userinfo`,
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ['S256'],
      ...provider.document,
    }
  }

  async function exchange(body: URLSearchParams): Promise<[Claims, number?]> {
    const tokens = { access_token: randomBytes(16).toString('hex'), token_type: 'Bearer' }
    if (body.get('grant_type') === 'refresh_token') return [{ ...tokens, expires_in: 3600 }]
    const code = body.get('code') ?? ''
    const request = codes.get(code)
    codes.delete(code)
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url')
    const isRight =
      request?.get('code_challenge') === challenge &&
      request.get('redirect_uri') === body.get('redirect_uri')
    if (!isRight) return [{ error: 'invalid_grant' }, 400]
    const nonce = request.get('nonce') ?? undefined
    const idToken = await provider.sign({ nonce, ...provider.claims, ...provider.changes })
    return [{ ...tokens, expires_in: 3600, refresh_token: 'refresh', id_token: idToken }]
  }

  const provider: Provider = {
    get url() {
      return origin
    },
    claims: {},
    document: {},
    changes: {},
    handlers: new Map(),
    requests: [],
    authorize(url) {
      const request = new URL(url).searchParams
      const code = randomBytes(16).toString('hex')
      codes.set(code, request)
      const back = new URL(request.get('redirect_uri') ?? '')
      back.searchParams.set('code', code)
      back.searchParams.set('state', request.get('state') ?? '')
      back.searchParams.set('iss', origin)
      return back.href
    },
    async sign(claims, header = {}) {
      const now = Math.floor(Date.now() / 1000)
      return new SignJWT({ iss: origin, aud: clientId, iat: now, exp: now + 300, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'key', ...header })
        .sign(keys.privateKey)
    },
    async publicPem() {
      const { exportSPKI } = await import('jose')
      return exportSPKI(keys.publicKey)
    },
  }
  return provider
}

export function send(res: ServerResponse, body: unknown, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
