import { createHash, randomBytes } from 'node:crypto'
import request from 'supertest'
import { post, type Service } from './fixture.ts'
import { type Provider } from './provider.ts'

/** A browser with its cookies, and a page that keeps its verifier. */
export interface Browser {
  /** Follows the redirect to the provider; the URL of the provider. */
  readonly begin: (provider: string, query?: Record<string, string>) => Promise<string>
  /** Visits a URL of the API; the URL that it is sent on to. */
  readonly visit: (url: string) => Promise<string>
  /** Completes the login at the URL that the browser was sent to. */
  readonly complete: (url: string, input?: object) => request.Test
  readonly challenge: string
  readonly verifier: string
  cookie: string | undefined
}

export function openBrowser(service: Service): Browser {
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const browser: Browser = {
    challenge,
    verifier,
    cookie: undefined,
    begin: (provider, query) => {
      const search = new URLSearchParams({ codeChallenge: challenge, ...query })
      return browser.visit(`/api/v1/auth/identities/${provider}?${search.toString()}`)
    },
    async visit(url) {
      const { pathname, search } = new URL(url, 'http://api')
      const call = request(service.app)
        .get(pathname + search)
        .set('Host', 'api.example.com')
      if (browser.cookie !== undefined) void call.set('Cookie', browser.cookie)
      const response = await call.expect(303)
      const [cookie] = response.get('Set-Cookie') ?? []
      browser.cookie = cookie?.split(';')[0] ?? browser.cookie
      return response.headers['location'] ?? ''
    },
    complete(url, input = {}) {
      const code = new URL(url).searchParams.get('code') ?? 'a'.repeat(43)
      return post(service, '/identities/complete', { code, codeVerifier: verifier, ...input })
    },
  }
  return browser
}

/** A login of the account that the provider has; the response that completes it. */
export async function logIn(
  service: Service,
  provider: Provider,
  { name = 'company', input = {} }: { name?: string; input?: object } = {},
): Promise<request.Response> {
  const browser = openBrowser(service)
  const back = await browser.visit(provider.authorize(await browser.begin(name)))
  return browser.complete(back, input)
}
