import { type RequestFacts } from '@create-api/core/auth'
import { toDigest } from '../digest.ts'
import { type Account, toAccount } from './account.ts'
import { stepLifetime, toAuthorization } from './begin.ts'
import { type IdentityParts } from './identity-parts.ts'
import { type AuthorizationStep, type Step } from './identity-steps.ts'
import { noteRejection, type Rejection, toRejection } from './rejection.ts'

/** What the provider sent the browser back with. */
export interface ProviderResponse {
  /** The query of the URL, with `?`. */
  readonly search: string
  /** The token in the cookie of the browser. */
  readonly browserToken: string | undefined
}

// The URL of the application that the browser continues at, with a code or an error. It does not throw for responses that are
// not accepted.
export async function receive(
  parts: IdentityParts,
  provider: string,
  response: ProviderResponse,
  facts: RequestFacts,
): Promise<string> {
  const { returnUrls, steps } = parts
  const state = new URLSearchParams(response.search).get('state') ?? ''
  const step = await steps.find('state', state)
  // Of another browser, the login is neither continued nor ended.
  if (!step || !belongsTo(step, provider, response) || !(await steps.take('state', state))) {
    noteRejection(parts, facts, 'invalid_token')
    return toReturnUrl(returnUrls[0], { error: 'invalid_token' })
  }
  const { codeChallenge, returnTo } = step.data
  const account = await exchange(parts, { provider, state, ...step.data }, response).catch(
    (error: unknown) => toRejection(parts, provider, error),
  )
  if (typeof account === 'string') {
    noteRejection(parts, facts, account)
    return toReturnUrl(returnTo, { error: account })
  }
  const code = await steps.create('code', {
    provider,
    userId: step.userId,
    lifetime: stepLifetime,
    data: { codeChallenge, account },
  })
  return toReturnUrl(returnTo, { code })
}

export function toReturnUrl(
  returnTo: string,
  result: { readonly code: string } | { readonly error: Rejection },
): string {
  const url = new URL(returnTo)
  for (const [name, value] of Object.entries(result)) url.searchParams.set(name, value)
  return url.href
}

function belongsTo(
  step: Step<'state'>,
  provider: string,
  { browserToken }: ProviderResponse,
): boolean {
  const isOwn = browserToken !== undefined && step.data.browser === toDigest(browserToken)
  return isOwn && step.provider === provider
}

async function exchange(
  { clients, context, settings }: IdentityParts,
  step: AuthorizationStep & { readonly provider: string; readonly state: string },
  { browserToken = '', search }: ProviderResponse,
): Promise<Account> {
  const { provider: name, redirectUri, state } = step
  const client = clients.get(name)
  if (!client) throw new Error(`There is no provider ${name}.`)
  const authorization = toAuthorization({ browserToken, redirectUri, state })
  const { claims, tokens } = await client.exchange(authorization, search)
  const { provider } = client
  const { toFields } = settings
  return toAccount({ name, provider, schemas: context.schemas, toFields }, claims, tokens)
}
