import { defineRoute } from '../../route/define-route.ts'
import { success } from '../../response/success.ts'
import {
  changePassword,
  forgotPassword,
  reauthenticate,
  resetPassword,
} from '../accounts/password-service.ts'
import { type CreateRoutes, limited, toCaller, toFacts } from './route-parts.ts'

export const createPasswordRoutes: CreateRoutes = (context, schemas) => [
  ...createChangeRoutes(context, schemas),
  ...createProofRoutes(context, schemas),
  ...(context.settings.mail ? createResetRoutes(context, schemas) : []),
]

const createChangeRoutes: CreateRoutes = (context, schemas) => [
  defineRoute({
    method: 'post',
    path: '/change-password',
    access: 'user',
    summary: 'Change the password, renew the tokens of the session and revoke all others',
    operationId: 'changePassword',
    body: schemas.changePassword,
    response: { 200: schemas.grant, 204: undefined },
    ...limited(context, 'changePassword', [
      'invalid_credentials',
      'password_too_common',
      'overloaded',
    ]),
    async handler(req, res) {
      const facts = toFacts(context, req)
      const grant = await changePassword(context, req.valid.body, toCaller(req), facts)
      if (grant) success(res, context.settings.transport.write(res, grant))
      else success(res.status(204))
    },
  }),
]

const createProofRoutes: CreateRoutes = (context, schemas) => [
  defineRoute({
    method: 'post',
    path: '/reauthenticate',
    access: 'user',
    summary: 'Prove the identity again, for routes that require a recent proof',
    operationId: 'reauthenticate',
    body: schemas.ownPassword,
    ...limited(context, 'reauthenticate', [
      'invalid_credentials',
      'overloaded',
      ...(context.signIn?.proofErrors ?? []),
    ]),
    async handler(req, res) {
      const { password } = req.valid.body
      await reauthenticate(context, password, toCaller(req), toFacts(context, req))
      success(res)
    },
  }),
]

const createResetRoutes: CreateRoutes = (context, schemas) => [
  defineRoute({
    method: 'post',
    path: '/forgot-password',
    access: 'public',
    summary: 'Request a link that sets a new password',
    operationId: 'forgotPassword',
    body: schemas.emailOnly,
    ...limited(context, 'forgotPassword'),
    handler(req, res) {
      forgotPassword(context, req.valid.body.email, toFacts(context, req))
      success(res)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/reset-password',
    access: 'public',
    summary: 'Set a new password with the token of a link',
    operationId: 'resetPassword',
    body: schemas.resetPassword,
    ...limited(context, 'resetPassword', ['invalid_token', 'password_too_common', 'overloaded']),
    async handler(req, res) {
      await resetPassword(context, req.valid.body, toFacts(context, req))
      success(res)
    },
  }),
]
