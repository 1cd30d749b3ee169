import { ApiError, defineRoute, fresh, type Route, success } from '@create-api/core'
import { type Duration } from '@create-api/core/internal/sign-in'
import express, { type Request, type Response } from 'express'
import { z } from 'zod'
import { signInErrors } from '../errors.ts'
import { type Identities } from './identities.ts'
import { type IdentityParts } from './identity-parts.ts'
import {
  callbackBody,
  callbackQuery,
  completeInput,
  createBeginQuery,
  identityList,
  identityView,
  idTokenInput,
  issuedNonce,
  linkRequest,
  loginInput,
} from './identity-schemas.ts'
import { toReturnUrl } from './receive.ts'
import { type Rejection } from './rejection.ts'

type Parts = IdentityParts & { readonly freshness: Duration }
type CreateRoutes = (parts: Parts, identities: Identities) => Route[]

export const createIdentityRoutes: CreateRoutes = (parts, identities) => [
  ...createBrowserRoutes(parts, identities),
  ...createFormRoutes(parts, identities),
  ...createLoginRoutes(parts, identities),
  ...createTokenRoutes(parts, identities),
  ...createOwnRoutes(parts, identities),
  ...createLinkRoutes(parts, identities),
]

const loginErrors: NonNullable<Route['errors']> = [
  'invalid_token',
  'invalid_credentials',
  'email_taken',
  signInErrors.identity_not_linked,
  signInErrors.identity_taken,
  signInErrors.email_not_verified,
  signInErrors.registration_closed,
  signInErrors.second_factor_required,
  signInErrors.second_factor_setup_required,
]

// A browser is sent to the provider and returns from it.
const createBrowserRoutes: CreateRoutes = (parts, identities) => {
  const { context, returnUrls } = parts
  const { limited, toFacts } = context
  const params = toParams(parts.clients.keys())
  return [
    defineRoute({
      method: 'get',
      path: '/identities/:provider',
      access: 'public',
      summary: 'Send the browser to a provider to log in',
      operationId: 'beginIdentityLogin',
      params,
      query: createBeginQuery(returnUrls),
      status: 303,
      ...limited('identities'),
      async handler(req, res) {
        const { provider } = req.valid.params
        const { codeChallenge = '', linkToken, returnTo } = req.valid.query
        const input = linkToken === undefined ? { codeChallenge, returnTo } : { linkToken }
        const redirectUri = `${toOwnUrl(parts, req)}/callback`
        const options = { redirectUri, browserToken: readCookie(req) }
        const location = await identities
          .begin(provider, input, options, toFacts(req))
          .then(({ browserToken, expiresIn, url }) => {
            setCookie(res, browserToken, expiresIn)
            return url
          })
          .catch((error: unknown) => {
            return toReturnUrl(returnTo ?? returnUrls[0], { error: requireRejection(error) })
          })
        redirect(res, location)
      },
    }),
    defineRoute({
      method: 'get',
      path: '/identities/:provider/callback',
      access: 'public',
      summary: 'Receive the browser from a provider, and send it to the application',
      operationId: 'receiveIdentity',
      params,
      query: callbackQuery,
      status: 303,
      ...limited('identities'),
      async handler(req, res) {
        const search = req.originalUrl.replace(/^[^?]*/, '')
        const response = { search, browserToken: readCookie(req) }
        const { provider } = req.valid.params
        redirect(res, await identities.receive(provider, response, toFacts(req)))
      },
    }),
  ]
}

// Apple responds by a form, whose request has no cookie with SameSite=Lax: the browser repeats it as a GET request.
const createFormRoutes: CreateRoutes = (parts) => [
  defineRoute({
    method: 'post',
    path: '/identities/:provider/callback',
    access: 'public',
    summary: 'Receive the form of a provider, and send the browser to the callback',
    operationId: 'receiveIdentityForm',
    params: toParams(parts.clients.keys()),
    consumes: ['application/x-www-form-urlencoded'],
    body: callbackBody,
    readBody: express.urlencoded({ extended: false, limit: '20kb', parameterLimit: 20 }),
    status: 303,
    ...parts.context.limited('identities'),
    handler(req, res) {
      const names = ['code', 'state', 'iss', 'error']
      const search = new URLSearchParams()
      for (const name of names) {
        const { [name]: value } = req.valid.body
        if (typeof value === 'string') search.set(name, value)
      }
      redirect(res, `${req.originalUrl.replace(/\?.*/, '')}?${search.toString()}`)
    },
  }),
]

const createLoginRoutes: CreateRoutes = ({ context }, identities) => {
  const { limited, schemas, toFacts, writeGrant } = context
  return [
    defineRoute({
      method: 'post',
      path: '/identities/complete',
      access: 'public',
      summary: 'Log in with the account that the browser returned with',
      operationId: 'completeIdentityLogin',
      body: loginInput,
      response: schemas.grant,
      ...limited('identityLogin', loginErrors),
      async handler(req, res) {
        success(res, writeGrant(res, await identities.complete(req.valid.body, toFacts(req))))
      },
    }),
  ]
}

// Applications that have an ID token.
const createTokenRoutes: CreateRoutes = ({ clients, context }, identities) => {
  const { limited, schemas, toFacts, writeGrant } = context
  const names = [...clients].filter(([, { verify }]) => verify).map(([name]) => name)
  if (names.length === 0) return []
  return [
    defineRoute({
      method: 'post',
      path: '/identities/nonce',
      access: 'public',
      summary: 'Create the nonce of an ID token',
      operationId: 'createIdentityNonce',
      response: issuedNonce,
      status: 201,
      ...limited('identities'),
      async handler(req, res) {
        const { expiresIn, token: nonce } = await identities.createNonce(toFacts(req))
        success(res.status(201), { nonce, expiresIn })
      },
    }),
    defineRoute({
      method: 'post',
      path: '/identities/:provider/token',
      access: 'public',
      summary: 'Log in with an ID token',
      operationId: 'logInWithIdToken',
      params: toParams(names),
      body: idTokenInput,
      response: schemas.grant,
      ...limited('identityLogin', [
        ...loginErrors,
        signInErrors.invalid_identity,
        signInErrors.provider_unavailable,
      ]),
      async handler(req, res) {
        const { body, params } = req.valid
        const grant = await identities.logInWithToken(params.provider, body, toFacts(req))
        success(res, writeGrant(res, grant))
      },
    }),
  ]
}

const createOwnRoutes: CreateRoutes = ({ clients, context, freshness }, identities) => {
  const { limited, toFacts } = context
  return [
    defineRoute({
      method: 'get',
      path: '/identities',
      access: 'user',
      summary: 'List the accounts of providers that are linked to the current user',
      operationId: 'listIdentities',
      response: identityList,
      ...limited('identities'),
      async handler(req, res) {
        success(res, await identities.list(req.user.id))
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/identities/:provider',
      access: fresh(freshness),
      summary: 'Unlink the account of a provider from the current user',
      operationId: 'unlinkIdentity',
      params: toParams(clients.keys()),
      ...limited('identities', ['not_found', signInErrors.last_login_method]),
      async handler(req, res) {
        await identities.unlink(req.user.id, req.valid.params.provider, toFacts(req))
        success(res)
      },
    }),
  ]
}

const createLinkRoutes: CreateRoutes = (parts, identities) => {
  const { clients, context, freshness, pageInput } = parts
  const { limited, toFacts } = context
  return [
    defineRoute({
      method: 'post',
      path: '/identities/:provider/link',
      access: fresh(freshness),
      summary: 'Create the URL with which the current user links an account of a provider',
      operationId: 'createIdentityLink',
      params: toParams(clients.keys()),
      body: pageInput,
      response: linkRequest,
      status: 201,
      ...limited('identities'),
      async handler(req, res) {
        const { body, params } = req.valid
        const link = await identities.createLink(req.user.id, params.provider, body, toFacts(req))
        const url = `${toOwnUrl(parts, req).replace(/\/link$/, '')}?linkToken=${link.token}`
        success(res.status(201), { url, expiresIn: link.expiresIn })
      },
    }),
    defineRoute({
      method: 'post',
      path: '/identities/link/complete',
      access: 'user',
      summary: 'Link the account that the browser returned with to the current user',
      operationId: 'completeIdentityLink',
      body: completeInput,
      response: identityView,
      ...limited('identityLogin', ['invalid_token', signInErrors.identity_taken]),
      async handler(req, res) {
        const { body } = req.valid
        success(res, await identities.completeLink(req.user.id, body, toFacts(req)))
      },
    }),
  ]
}

function toParams(names: Iterable<string>): z.ZodObject<{ provider: z.ZodType<string> }> {
  return z.object({ provider: z.enum([...names]) })
}

// Of this request, without its query.
function toOwnUrl({ settings }: IdentityParts, req: Request): string {
  const origin = settings.apiUrl ?? `${req.protocol}://${req.headers.host ?? 'localhost'}`
  return origin + req.originalUrl.replace(/\?.*/, '')
}

const rejections = new Map<string, Rejection>([
  ['invalid_token', 'invalid_token'],
  ['provider_unavailable', 'provider_unavailable'],
])

// Throws errors that the application does not read in the URL.
function requireRejection(error: unknown): Rejection {
  const rejection = error instanceof ApiError && rejections.get(error.code)
  if (rejection) return rejection
  throw error
}

const cookieName = '__Host-identity'
const cookiePattern = new RegExp(`(?:^|;\\s*)${cookieName}=([\\w-]{43})(?:;|$)`)

function readCookie({ headers }: Request): string | undefined {
  return cookiePattern.exec(headers.cookie ?? '')?.[1]
}

// Lax: the browser sends it when the provider sends the browser back, but not with requests of other sites' pages.
function setCookie(res: Response, value: string, seconds: number): void {
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Lax`
  res.append('Set-Cookie', `${cookieName}=${value}; ${attributes}`)
}

// Without a body, which would repeat the URL.
function redirect(res: Response, location: string): void {
  res.status(303).setHeader('Location', location)
  res.end()
}
