import { type SignInFeature } from '@create-api/core/auth'
import { signInErrors } from './errors.ts'
import { createFactorModels } from './factors/factor-models.ts'
import { createFactorRoutes } from './factors/factor-routes.ts'
import { createFactors, removeFactors } from './factors/create-factors.ts'
import { type FactorParts } from './factors/factor-parts.ts'
import { type Factors } from './factors/factors.ts'
import { requireFactor } from './factors/login.ts'
import { createLoginSteps } from './factors/login-steps.ts'
import { createRecoveryCodes } from './factors/recovery-codes.ts'
import { createNotices } from './notices.ts'
import { readOptions, type SignInOptions } from './options.ts'
import { createSecretBox } from './secret-box.ts'

declare module '@create-api/core/auth' {
  interface SignInServices {
    /** The second factors of users; with `auth.signIn`. */
    readonly factors: Factors
  }
}

/**
 * Adds a second factor to authentication: codes of an authenticator application (RFC 6238) and recovery codes. A login of a
 * user who has one responds with the error `second_factor_required` and a token for the second step.
 * @param options - encryption keys, and who must have a second factor
 * @returns the value of the option `auth.signIn`
 * @throws TypeError that names the option that is not valid
 * @example
 * ```ts
 * import { createSignIn } from '@create-api/sign-in'
 *
 * export const api = createApi({ routes, auth: { signIn: createSignIn() } })
 * ```
 */
export function createSignIn(options: SignInOptions = {}): SignInFeature {
  const settings = readOptions(options)
  return {
    services: ['factors'],
    create(context) {
      const { environment, logger, now, place, secrets } = context
      if (!settings.encryptionKeys && environment === 'production') {
        logger.warn({}, derivedKeys)
      }
      const models = createFactorModels(place)
      const parts: FactorParts = {
        context,
        settings,
        models,
        box: createSecretBox(settings.encryptionKeys ?? secrets),
        recoveryCodes: createRecoveryCodes(models.recoveryCodes),
        steps: createLoginSteps(models.loginSteps, { lifetime: settings.stepLifetime, now }),
      }
      const factors = createFactors(parts, context.takeLimit)
      const forRoutes = createFactors(parts, async () => () => {})
      const notify = settings.notices ? createNotices(context, models.devices) : undefined
      return {
        services: new Map([['factors', factors]]),
        routes: createFactorRoutes(context, settings, forRoutes),
        loginErrors: [
          signInErrors.second_factor_required,
          signInErrors.second_factor_setup_required,
        ],
        beforeSession: (user, facts) => requireFactor(parts, user, facts),
        endLogins: (userId) => parts.steps.removeAll(userId),
        async removeUser(userId) {
          await removeFactors(parts, userId)
          await models.devices.deleteMany({ userId })
        },
        observe(event, facts, details) {
          notify?.(event, facts, details)
        },
      }
    },
  }
}

const derivedKeys =
  'The secrets of second factors are encrypted with the secrets of authentication: set encryptionKeys of createSignIn() before you rotate those, or users must set up their factors again.'
