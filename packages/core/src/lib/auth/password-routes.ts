import { defineRoute } from '../routing/define-route.ts'
import { type Route } from '../routing/route.ts'
import { type AuthRouteParts } from './auth-routes.ts'

type Parts = Pick<AuthRouteParts, 'controller' | 'schemas' | 'limits'>

/**
 * Describes the routes around a password that is known.
 * @param parts - controllers, schemas and limits
 * @returns the routes
 */
export function createPasswordRoutes(parts: Parts): Route[] {
  const { controller, schemas, limits } = parts
  return [
    defineRoute({
      method: 'post',
      path: '/change-password',
      access: 'user',
      summary: 'Change the password and end all other sessions',
      operationId: 'changePassword',
      before: limits('changePassword'),
      body: schemas.changePassword,
      errors: ['invalid_credentials', 'password_too_common', 'rate_limited', 'overloaded'],
      handler: controller.changePassword,
    }),
  ]
}

/**
 * Describes the routes that work through mails.
 * @param parts - controllers, schemas and limits
 * @returns the routes
 */
export function createMailRoutes(parts: Parts): Route[] {
  const { controller, schemas, limits } = parts
  return [
    defineRoute({
      method: 'post',
      path: '/forgot-password',
      access: 'public',
      summary: 'Ask for a link that sets a new password',
      operationId: 'forgotPassword',
      before: limits('forgotPassword'),
      body: schemas.email,
      errors: ['rate_limited'],
      handler: controller.forgotPassword,
    }),
    defineRoute({
      method: 'post',
      path: '/reset-password',
      access: 'public',
      summary: 'Set a new password by the link of a mail',
      operationId: 'resetPassword',
      before: limits('resetPassword'),
      body: schemas.resetPassword,
      errors: ['invalid_token', 'password_too_common', 'rate_limited', 'overloaded'],
      handler: controller.resetPassword,
    }),
    defineRoute({
      method: 'post',
      path: '/verify-email',
      access: 'public',
      summary: 'Verify an address by the link of a mail',
      operationId: 'verifyEmail',
      before: limits('verifyEmail'),
      body: schemas.verifyEmail,
      errors: ['invalid_token', 'rate_limited'],
      handler: controller.verifyEmail,
    }),
    defineRoute({
      method: 'post',
      path: '/resend-verification',
      access: 'public',
      summary: 'Ask for the link that verifies an address once more',
      operationId: 'resendVerification',
      before: limits('resendVerification'),
      body: schemas.email,
      errors: ['rate_limited'],
      handler: controller.resendVerification,
    }),
  ]
}
