import { type SignInFeature } from '@create-api/core/auth'
import {
  chooseRoutes,
  createSecretBox,
  parseRouteChoice,
  type RouteChoice,
  type SignInContext,
  type SignInParts,
} from '@create-api/core/internal/sign-in'
import { canLogIn } from './can-log-in.ts'
import { signInErrors } from './errors.ts'
import { createFactorModels } from './factors/factor-models.ts'
import { createFactorRoutes } from './factors/factor-routes.ts'
import { createFactors, removeFactors } from './factors/create-factors.ts'
import { type FactorParts } from './factors/factor-parts.ts'
import { type Factors } from './factors/factors.ts'
import { requireFactor, requireNoFactor, requireSession } from './factors/login.ts'
import { createLoginSteps } from './factors/login-steps.ts'
import { createRecoveryCodes } from './factors/recovery-codes.ts'
import { createTrustedDevices } from './factors/trusted-devices.ts'
import { linkWay } from './links/link-way.ts'
import { type Links } from './links/links.ts'
import { createNotices } from './notices.ts'
import { readOptions, type SignInOptions, type SignInSettings } from './options.ts'
import { factorRouteNames } from './route-names.ts'
import { uncounted } from './uncounted.ts'
import { verifyAddress } from './verify-address.ts'
import { type CreatedWay, type SignInWay, type WayParts } from './way.ts'

declare module '@create-api/core/auth' {
  interface SignInServices {
    /** The second factors of users; with `auth.signIn`. */
    readonly factors: Factors
    /** Logins by mail; with `auth.signIn` and its option `links`. */
    readonly links: Links
  }
}

const { second_factor_required: factorRequired, second_factor_setup_required: setupRequired } =
  signInErrors

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
  const { links, passkeys, providers } = settings
  const ways = [links && linkWay(links), passkeys, providers].filter((way) => way !== undefined)
  const names = [...factorRouteNames, ...ways.flatMap(({ routeNames }) => routeNames)]
  const choice = chooseNames(options.routes, names)
  return {
    services: ['factors', ...ways.map(({ name }) => name)],
    create(context) {
      const parts = createFactorParts(context, settings)
      const beforeSession: SignInParts['beforeSession'] = (user, facts) =>
        requireFactor(parts, user, facts)
      const factors = createFactors(parts, context.takeLimit)
      const notify = settings.notices ? createNotices(context, parts.models.devices) : undefined
      const { freshness } = settings
      const created = createWays(ways, {
        box: parts.box,
        context,
        freshness,
        beforeSession,
      })
      return {
        services: new Map<string, unknown>([
          ['factors', factors],
          ...ways.map(({ name }, index) => [name, created[index]?.service] as const),
        ]),
        routes: chooseRoutes(
          [
            ...createFactorRoutes(context, settings, createFactors(parts, uncounted)),
            ...created.flatMap(({ routes }) => routes),
          ],
          choice,
        ),
        loginErrors: [factorRequired, setupRequired],
        proofErrors: [factorRequired],
        beforeSession,
        requireFactor: (user) => requireSession(parts, user),
        beforeProof: (userId) => requireNoFactor(parts, userId),
        async endLogins(userId) {
          await parts.steps.removeAll(userId)
          await parts.trustedDevices.removeAll(userId)
          for (const way of created) await way.endLogins(userId)
        },
        async removeWays(userId, facts) {
          await removeFromWays(created, userId)
          await factors.reset(userId, facts)
        },
        async removeUser(userId) {
          await removeFactors(parts, userId)
          await parts.models.devices.deleteMany({ userId })
          await removeFromWays(created, userId)
        },
        observe(event, facts, details) {
          notify?.(event, facts, details)
        },
      }
    },
  }
}

function createWays(
  ways: readonly SignInWay[],
  parts: Omit<WayParts, 'canLogIn' | 'verifyAddress'>,
): CreatedWay[] {
  const { context } = parts
  const created: CreatedWay[] = ways.map((way) =>
    way.create({
      ...parts,
      canLogIn: (userId) => canLogIn(context, created, userId),
      verifyAddress: (user, facts) => verifyAddress(context, user, facts),
    }),
  )
  return created
}

async function removeFromWays(ways: readonly CreatedWay[], userId: string): Promise<void> {
  for (const way of ways) await way.removeUser(userId)
}

function createFactorParts(context: SignInContext, settings: SignInSettings): FactorParts {
  const { environment, logger, now, place, secrets } = context
  if (!settings.encryptionKeys && environment === 'production') logger.warn({}, derivedKeys)
  const models = createFactorModels(place)
  return {
    context,
    settings,
    models,
    box: createSecretBox(settings.encryptionKeys ?? secrets, 'sign-in encryption v1'),
    recoveryCodes: createRecoveryCodes(models.recoveryCodes),
    steps: createLoginSteps(models.loginSteps, { lifetime: settings.stepLifetime, now }),
    trustedDevices: createTrustedDevices(models.trustedDevices, {
      lifetime: settings.trustedDevices ?? 0,
      now,
    }),
  }
}

// Throws TypeError that names what is not valid.
function chooseNames(value: SignInOptions['routes'], names: readonly string[]): RouteChoice {
  try {
    // The path is that of authentication.
    return parseRouteChoice(value ?? true, { names, path: '/api/v1/auth' })
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : ''
    throw new TypeError(`createSignIn(): routes ${problem}`, { cause })
  }
}

const derivedKeys =
  'The secrets of second factors are encrypted with the secrets of authentication: set encryptionKeys of createSignIn() before you rotate those, or users must set up their factors again.'
