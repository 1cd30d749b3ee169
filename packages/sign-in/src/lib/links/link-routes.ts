import { defineRoute, type Route, success } from '@create-api/core'
import { type SignInContext } from '@create-api/core/internal/sign-in'
import { signInErrors } from '../errors.ts'
import { linkLoginInput, linkRequest } from './link-schemas.ts'
import { type Links } from './links.ts'

export function createLinkRoutes(context: SignInContext, links: Links): Route[] {
  const { limited, schemas, toFacts, writeGrant } = context
  return [
    defineRoute({
      method: 'post',
      path: '/login-link',
      access: 'public',
      summary: 'Request a link and a code by mail that log in',
      operationId: 'requestLoginLink',
      body: schemas.emailOnly,
      response: linkRequest,
      status: 202,
      ...limited('loginLink'),
      async handler(req, res) {
        success(res.status(202), await links.request(req.valid.body, toFacts(req)))
      },
    }),
    defineRoute({
      method: 'post',
      path: '/login-link/complete',
      access: 'public',
      summary: 'Log in with a link or a code of a mail',
      operationId: 'completeLoginLink',
      body: linkLoginInput,
      response: schemas.grant,
      ...limited('secondFactor', [
        'invalid_token',
        signInErrors.invalid_code,
        signInErrors.second_factor_required,
        signInErrors.second_factor_setup_required,
      ]),
      async handler(req, res) {
        success(res, writeGrant(res, await links.complete(req.valid.body, toFacts(req))))
      },
    }),
  ]
}
