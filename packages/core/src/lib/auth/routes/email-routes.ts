import { defineRoute } from '../../route/define-route.ts'
import { success } from '../../response/success.ts'
import { resendVerification, verifyEmail } from '../accounts/account-service.ts'
import { changeEmail, confirmEmail } from '../accounts/email-service.ts'
import { type CreateRoutes, limited, toFacts } from './route-parts.ts'

export const createEmailRoutes: CreateRoutes = (context, schemas) => [
  ...createVerificationRoutes(context, schemas),
  ...createChangeRoutes(context, schemas),
]

const createVerificationRoutes: CreateRoutes = (context, schemas) => [
  defineRoute({
    method: 'post',
    path: '/verify-email',
    access: 'public',
    summary: 'Verify an e-mail address with the token of a link',
    operationId: 'verifyEmail',
    body: schemas.verifyEmail,
    ...limited(context, 'verifyEmail', ['invalid_token']),
    async handler(req, res) {
      await verifyEmail(context, req.valid.body.token, toFacts(context, req))
      success(res)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/resend-verification',
    access: 'public',
    summary: 'Request another link that verifies an e-mail address',
    operationId: 'resendVerification',
    body: schemas.emailOnly,
    ...limited(context, 'resendVerification'),
    handler(req, res) {
      resendVerification(context, req.valid.body.email)
      success(res)
    },
  }),
]

const createChangeRoutes: CreateRoutes = (context, schemas) => [
  defineRoute({
    method: 'post',
    path: '/change-email',
    access: 'user',
    summary: 'Request a link that changes the e-mail address',
    operationId: 'changeEmail',
    body: schemas.changeEmail,
    ...limited(context, 'changeEmail', [
      'invalid_credentials',
      ...(context.settings.hideRegistered ? [] : (['email_taken'] as const)),
      'overloaded',
    ]),
    async handler(req, res) {
      await changeEmail(context, req.valid.body, req.user.id, toFacts(context, req))
      success(res)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/confirm-email',
    access: 'public',
    summary: 'Change the e-mail address with the token of a link',
    operationId: 'confirmEmail',
    body: schemas.verifyEmail,
    ...limited(context, 'confirmEmail', ['invalid_token', 'email_taken']),
    async handler(req, res) {
      await confirmEmail(context, req.valid.body.token, toFacts(context, req))
      success(res)
    },
  }),
]
