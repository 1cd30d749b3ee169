import { defineRoute, fresh, type Route, success } from '@create-api/core'
import { type SessionCaller } from '@create-api/core/auth'
import { type Duration, type SignInContext } from '@create-api/core/internal/sign-in'
import { signInErrors } from '../errors.ts'
import {
  assertionInput,
  begunAssertion,
  begunRegistration,
  nameInput,
  passkeyParams,
  passkeyView,
  registrationInput,
} from './passkey-schemas.ts'
import { type Passkeys } from './passkeys.ts'

const {
  invalid_passkey: invalidPasskey,
  last_login_method: lastLoginMethod,
  passkey_exists: passkeyExists,
  too_many_passkeys: tooMany,
} = signInErrors

export function createPasskeyRoutes(
  context: SignInContext,
  freshness: Duration,
  passkeys: Passkeys,
): Route[] {
  return [
    ...createLoginRoutes(context, passkeys),
    ...createRegistrationRoutes(context, freshness, passkeys),
    ...createOwnRoutes(context, freshness, passkeys),
    ...createProofRoutes(context, passkeys),
  ]
}

function createLoginRoutes(context: SignInContext, passkeys: Passkeys): Route[] {
  const { limited, schemas, toFacts, writeGrant } = context
  return [
    defineRoute({
      method: 'post',
      path: '/passkeys/login/options',
      access: 'public',
      summary: 'Begin a login with a passkey',
      operationId: 'beginPasskeyLogin',
      response: begunAssertion,
      ...limited('passkeyLogin'),
      async handler(req, res) {
        success(res, await passkeys.beginLogin(toFacts(req)))
      },
    }),
    defineRoute({
      method: 'post',
      path: '/passkeys/login',
      access: 'public',
      summary: 'Log in with a passkey',
      operationId: 'completePasskeyLogin',
      body: assertionInput,
      response: schemas.grant,
      ...limited('secondFactor', [
        'invalid_token',
        invalidPasskey,
        signInErrors.second_factor_required,
        signInErrors.second_factor_setup_required,
      ]),
      async handler(req, res) {
        success(res, writeGrant(res, await passkeys.completeLogin(req.valid.body, toFacts(req))))
      },
    }),
  ]
}

function createRegistrationRoutes(
  { limited, toFacts }: SignInContext,
  freshness: Duration,
  passkeys: Passkeys,
): Route[] {
  const access = fresh(freshness)
  return [
    defineRoute({
      method: 'post',
      path: '/passkeys/options',
      access,
      summary: 'Begin the registration of a passkey',
      operationId: 'beginPasskeyRegistration',
      response: begunRegistration,
      ...limited('factors', [tooMany]),
      async handler(req, res) {
        success(res, await passkeys.beginRegistration(toCaller(req), toFacts(req)))
      },
    }),
    defineRoute({
      method: 'post',
      path: '/passkeys',
      access,
      summary: 'Register a passkey',
      operationId: 'completePasskeyRegistration',
      body: registrationInput,
      response: passkeyView,
      status: 201,
      ...limited('factors', ['invalid_token', invalidPasskey, passkeyExists, tooMany]),
      async handler(req, res) {
        const input = req.valid.body
        const passkey = await passkeys.completeRegistration(toCaller(req), input, toFacts(req))
        success(res.status(201), passkey)
      },
    }),
  ]
}

function createOwnRoutes(
  { limited, toFacts }: SignInContext,
  freshness: Duration,
  passkeys: Passkeys,
): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/passkeys',
      access: 'user',
      summary: 'List the passkeys of the current user',
      operationId: 'listPasskeys',
      response: passkeyView.array(),
      ...limited('factors'),
      async handler(req, res) {
        success(res, await passkeys.list(req.user.id))
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/passkeys/:id',
      access: 'user',
      summary: 'Rename a passkey of the current user',
      operationId: 'renamePasskey',
      params: passkeyParams,
      body: nameInput,
      response: passkeyView,
      ...limited('factors', ['not_found']),
      async handler(req, res) {
        const { body, params } = req.valid
        success(res, await passkeys.rename(req.user.id, params.id, body))
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/passkeys/:id',
      access: fresh(freshness),
      summary: 'Remove a passkey of the current user',
      operationId: 'removePasskey',
      params: passkeyParams,
      ...limited('factors', ['not_found', lastLoginMethod]),
      async handler(req, res) {
        await passkeys.remove(req.user.id, req.valid.params.id, toFacts(req))
        success(res)
      },
    }),
  ]
}

function createProofRoutes({ limited, toFacts }: SignInContext, passkeys: Passkeys): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/reauthenticate/passkey/options',
      access: 'user',
      summary: 'Begin another proof of the identity with a passkey',
      operationId: 'beginPasskeyReauthentication',
      response: begunAssertion,
      ...limited('factors', ['not_found']),
      async handler(req, res) {
        success(res, await passkeys.beginReauthentication(toCaller(req), toFacts(req)))
      },
    }),
    defineRoute({
      method: 'post',
      path: '/reauthenticate/passkey',
      access: 'user',
      summary: 'Prove the identity again with a passkey, for routes that require a recent proof',
      operationId: 'reauthenticateByPasskey',
      body: assertionInput,
      ...limited('secondFactor', ['invalid_token', invalidPasskey]),
      async handler(req, res) {
        await passkeys.reauthenticate(toCaller(req), req.valid.body, toFacts(req))
        success(res)
      },
    }),
  ]
}

function toCaller(req: {
  readonly user: { readonly id: string }
  readonly sessionId?: string | undefined
}): Required<SessionCaller> {
  return { userId: req.user.id, sessionId: req.sessionId ?? '' }
}
