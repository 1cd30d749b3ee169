import { type Route } from '@create-api/core'
import { type SignInFeature } from '@create-api/core/auth'
import {
  chooseRoutes,
  type SignInContext,
  type SignInParts,
} from '@create-api/core/internal/sign-in'
import { signInErrors } from './errors.ts'
import { createFactorModels } from './factors/factor-models.ts'
import { createFactorRoutes } from './factors/factor-routes.ts'
import { createFactors, removeFactors } from './factors/create-factors.ts'
import { type FactorParts } from './factors/factor-parts.ts'
import { type Factors } from './factors/factors.ts'
import { requireFactor, requireNoFactor } from './factors/login.ts'
import { createLoginSteps } from './factors/login-steps.ts'
import { createRecoveryCodes } from './factors/recovery-codes.ts'
import { createLoginLinkModel } from './links/link-model.ts'
import { createLinkRoutes } from './links/link-routes.ts'
import { createLinks, type LinkParts, type Links } from './links/links.ts'
import { createNotices } from './notices.ts'
import {
  type LinkSettings,
  readOptions,
  type SignInOptions,
  type SignInSettings,
} from './options.ts'
import { createSecretBox } from './secret-box.ts'

declare module '@create-api/core/auth' {
  interface SignInServices {
    /** The second factors of users; with `auth.signIn`. */
    readonly factors: Factors
    /** Logins by mail; with `auth.signIn` and its option `links`. */
    readonly links: Links
  }
}

/**
 * Adds a second factor to authentication: codes of an authenticator application (RFC 6238) and recovery codes; and, with
 * `links`, logins by mail. A login of a user who has a factor responds with the error `second_factor_required` and a token for the second step.
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
    services: settings.links ? ['factors', 'links'] : ['factors'],
    create(context) {
      const parts = createFactorParts(context, settings)
      const beforeSession: SignInParts['beforeSession'] = (user, facts) =>
        requireFactor(parts, user, facts)
      const factors = createFactors(parts, context.takeLimit)
      const notify = settings.notices ? createNotices(context, parts.models.devices) : undefined
      const links =
        settings.links &&
        addLinks(context, settings.links, {
          beforeSession,
          resetFactors: (id, facts) => factors.reset(id, facts),
        })
      return {
        services: new Map<string, unknown>([
          ['factors', factors],
          ['links', links?.service],
        ]),
        routes: chooseRoutes(
          [
            ...createFactorRoutes(context, settings, createFactors(parts, uncounted)),
            ...(links?.routes ?? []),
          ],
          settings.routes,
        ),
        loginErrors: [
          signInErrors.second_factor_required,
          signInErrors.second_factor_setup_required,
        ],
        proofErrors: [signInErrors.second_factor_required],
        beforeSession,
        beforeProof: (userId) => requireNoFactor(parts, userId),
        async endLogins(userId) {
          await Promise.all([parts.steps.removeAll(userId), links?.removeAll(userId)])
        },
        async removeUser(userId) {
          await removeFactors(parts, userId)
          await parts.models.devices.deleteMany({ userId })
          await links?.removeAll(userId)
        },
        observe(event, facts, details) {
          notify?.(event, facts, details)
        },
      }
    },
  }
}

// Of routes, which count requests themselves.
const uncounted: SignInContext['takeLimit'] = async () => () => {}

function createFactorParts(context: SignInContext, settings: SignInSettings): FactorParts {
  const { environment, logger, now, place, secrets } = context
  if (!settings.encryptionKeys && environment === 'production') logger.warn({}, derivedKeys)
  const models = createFactorModels(place)
  return {
    context,
    settings,
    models,
    box: createSecretBox(settings.encryptionKeys ?? secrets),
    recoveryCodes: createRecoveryCodes(models.recoveryCodes),
    steps: createLoginSteps(models.loginSteps, { lifetime: settings.stepLifetime, now }),
  }
}

interface LinkFeature {
  readonly service: Links
  readonly routes: readonly Route[]
  readonly removeAll: (userId: string) => Promise<void>
}

function addLinks(
  context: SignInContext,
  settings: LinkSettings,
  others: Pick<LinkParts, 'beforeSession' | 'resetFactors'>,
): LinkFeature {
  if (!context.mail) throw new TypeError('createSignIn({ links }) needs auth.mail.')
  const model = createLoginLinkModel(context.place)
  const parts = { context, settings, model, ...others }
  return {
    service: createLinks(parts, context.takeLimit),
    routes: createLinkRoutes(context, createLinks(parts, uncounted)),
    async removeAll(userId) {
      await model.deleteMany({ userId })
    },
  }
}

const derivedKeys =
  'The secrets of second factors are encrypted with the secrets of authentication: set encryptionKeys of createSignIn() before you rotate those, or users must set up their factors again.'
