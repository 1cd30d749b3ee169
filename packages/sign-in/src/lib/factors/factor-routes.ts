import { defineRoute, fresh, type Route, success } from '@create-api/core'
import { type SignInContext } from '@create-api/core/internal/sign-in'
import { signInErrors } from '../errors.ts'
import { type SignInSettings } from '../options.ts'
import {
  codeInput,
  confirmation,
  enrolInput,
  enrolment,
  factorList,
  factorParams,
  grantedCodes,
  recoveryCodeList,
  setupInput,
  stepInput,
  stepInputWithDevices,
} from './factor-schemas.ts'
import { type Factors } from './factors.ts'

const { invalid_code: invalidCode, too_many_factors: tooMany } = signInErrors

export function createFactorRoutes(
  context: SignInContext,
  settings: SignInSettings,
  factors: Factors,
): Route[] {
  return [
    ...createLoginRoutes(context, settings, factors),
    ...createOwnRoutes(context, factors),
    ...createDeviceRoutes(context, settings, factors),
    ...createSetupRoutes(context, settings, factors),
    ...createRemovalRoutes(context, settings, factors),
  ]
}

// The second step of a login.
function createLoginRoutes(
  context: SignInContext,
  { trustedDevices }: SignInSettings,
  factors: Factors,
): Route[] {
  const { limited, schemas, writeGrant } = context
  return [
    defineRoute({
      method: 'post',
      path: '/second-factor',
      access: 'public',
      summary: 'Complete a login with a code',
      operationId: 'completeLogin',
      body: trustedDevices === undefined ? stepInput : stepInputWithDevices,
      response: schemas.grant.extend(grantedCodes),
      ...limited('secondFactor', ['invalid_token', invalidCode, 'invalid_credentials']),
      async handler(req, res) {
        const grant = await factors.completeLogin(req.valid.body, context.toFacts(req))
        success(res, writeGrant(res, grant))
      },
    }),
    defineRoute({
      method: 'post',
      path: '/second-factor/setup',
      access: 'public',
      summary: 'Set up a second factor in a login that requires one',
      operationId: 'enrolAtLogin',
      body: setupInput,
      response: enrolment,
      status: 201,
      ...limited('secondFactor', ['invalid_token', tooMany]),
      async handler(req, res) {
        success(res.status(201), await factors.enrolAtLogin(req.valid.body, context.toFacts(req)))
      },
    }),
  ]
}

function createOwnRoutes({ limited, toFacts }: SignInContext, factors: Factors): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/factors',
      access: 'user',
      summary: 'List the second factors of the current user',
      operationId: 'listFactors',
      response: factorList,
      ...limited('factors'),
      async handler(req, res) {
        success(res, await factors.list(req.user.id))
      },
    }),
    defineRoute({
      method: 'post',
      path: '/reauthenticate/code',
      access: 'user',
      summary: 'Prove the identity again with a code, for routes that require a recent proof',
      operationId: 'reauthenticateByCode',
      body: codeInput,
      ...limited('secondFactor', [invalidCode]),
      async handler(req, res) {
        const caller = { userId: req.user.id, sessionId: req.sessionId ?? '' }
        await factors.reauthenticate(caller, req.valid.body, toFacts(req))
        success(res)
      },
    }),
  ]
}

function createDeviceRoutes(
  { limited, toFacts }: SignInContext,
  { trustedDevices }: SignInSettings,
  factors: Factors,
): Route[] {
  if (trustedDevices === undefined) return []
  return [
    defineRoute({
      method: 'delete',
      path: '/factors/trusted-devices',
      access: 'user',
      summary: 'End the trust in all devices of the current user',
      operationId: 'forgetDevices',
      ...limited('factors'),
      async handler(req, res) {
        await factors.forgetDevices(req.user.id, toFacts(req))
        success(res)
      },
    }),
  ]
}

function createSetupRoutes(
  { limited, sessions, toFacts }: SignInContext,
  settings: SignInSettings,
  factors: Factors,
): Route[] {
  const access = fresh(settings.freshness)
  return [
    defineRoute({
      method: 'post',
      path: '/factors/totp',
      access,
      summary: 'Create the secret of an authenticator application',
      operationId: 'enrolTotp',
      body: enrolInput,
      response: enrolment,
      status: 201,
      ...limited('factors', [tooMany]),
      async handler(req, res) {
        success(res.status(201), await factors.enrolTotp(req.user.id, req.valid.body, toFacts(req)))
      },
    }),
    defineRoute({
      method: 'post',
      path: '/factors/:id/confirm',
      access,
      summary: 'Confirm an authenticator application with a code',
      operationId: 'confirmTotp',
      params: factorParams,
      body: codeInput,
      response: confirmation,
      ...limited('secondFactor', ['not_found', invalidCode, 'invalid_token']),
      async handler(req, res) {
        const input = { id: req.valid.params.id, code: req.valid.body.code }
        const recoveryCodes = await factors.confirmTotp(req.user.id, input, toFacts(req))
        const { sessionId, user } = req
        // The session of the confirmation is the one that keeps its proof.
        if (sessionId !== undefined) {
          await sessions.noteProof({ sessionId, userId: user.id, multiFactor: true })
        }
        success(res, { recoveryCodes })
      },
    }),
  ]
}

function createRemovalRoutes(
  { limited, toFacts }: SignInContext,
  settings: SignInSettings,
  factors: Factors,
): Route[] {
  const access = fresh(settings.freshness)
  return [
    defineRoute({
      method: 'delete',
      path: '/factors/:id',
      access,
      summary: 'Remove a second factor of the current user',
      operationId: 'removeFactor',
      params: factorParams,
      ...limited('factors', ['not_found']),
      async handler(req, res) {
        await factors.remove(req.user.id, req.valid.params.id, toFacts(req))
        success(res)
      },
    }),
    defineRoute({
      method: 'post',
      path: '/factors/recovery-codes',
      access,
      summary: 'Create recovery codes, which replace those of before',
      operationId: 'createRecoveryCodes',
      response: recoveryCodeList,
      status: 201,
      ...limited('factors', ['not_found']),
      async handler(req, res) {
        const recoveryCodes = await factors.createRecoveryCodes(req.user.id, toFacts(req))
        success(res.status(201), { recoveryCodes })
      },
    }),
  ]
}
