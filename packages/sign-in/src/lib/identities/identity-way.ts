import { majority, type SignInContext } from '@create-api/core/internal/sign-in'
import { identityRouteNames } from '../route-names.ts'
import { uncounted } from '../uncounted.ts'
import { type SignInWay } from '../way.ts'
import { createIdentities, type Identities } from './identities.ts'
import { createIdentityModels } from './identity-models.ts'
import { type IdentityParts, type IdentitySettings } from './identity-parts.ts'
import { createIdentityRoutes } from './identity-routes.ts'
import { createPageInput, requireProviderName } from './identity-schemas.ts'
import { createIdentitySteps } from './identity-steps.ts'
import { readProvidersOptions, type ProvidersOptions } from './providers-options.ts'
import { createProviderClient } from './provider-client.ts'
import { type IdentityProvider } from './provider.ts'

declare module '@create-api/core/auth' {
  interface SignInServices {
    /** Logins with other providers; with `auth.signIn` and its option `providers`. */
    readonly identities: Identities
  }
}

/**
 * Adds logins with other providers, for the option `providers` of `createSignIn`. It needs the packages `openid-client` and `jose`.
 * @param chosen - the providers, by the names that their routes have
 * @param options - where browsers return to, and who can register
 * @returns the value of the option
 * @throws TypeError that names the option that is not valid
 * @example
 * ```ts
 * import { createSignIn } from '@create-api/sign-in'
 * import { openId, providers } from '@create-api/sign-in/providers'
 *
 * const company = openId({ issuer: 'https://login.example.com', clientId: 'blog' })
 * createSignIn({ providers: providers({ company }) })
 * ```
 */
export function providers(
  chosen: Readonly<Record<string, IdentityProvider>>,
  options: ProvidersOptions = {},
): SignInWay {
  const settings = readProvidersOptions(options)
  const entries = Object.entries(chosen)
  for (const [name] of entries) requireProviderName(name)
  return {
    name: 'identities',
    routeNames: identityRouteNames,
    create({ freshness, ...way }) {
      const { box, context } = way
      const { now, place } = context
      requireApiUrl(context, settings)
      const models = createIdentityModels(place)
      const returnUrls = findReturnUrls(context, settings)
      const parts: IdentityParts = {
        ...way,
        settings,
        returnUrls,
        pageInput: createPageInput(returnUrls),
        clients: new Map(
          entries.map(([name, it]) => [name, createProviderClient(it, { ...settings, now })]),
        ),
        models,
        steps: createIdentitySteps(models.steps, { box, now }),
      }
      return {
        service: createIdentities(parts, context.takeLimit),
        routes: createIdentityRoutes({ ...parts, freshness }, createIdentities(parts, uncounted)),
        async canLogIn(userId) {
          return (await models.identities.exists({ userId, isLeaving: false })) !== null
        },
        endLogins: (userId) => parts.steps.removeAll(userId),
        async removeUser(userId) {
          await models.identities.deleteMany({ userId }, majority)
          await parts.steps.removeAll(userId)
        },
      }
    },
  }
}

function requireApiUrl({ environment }: SignInContext, { apiUrl }: IdentitySettings): void {
  if (environment !== 'production' || apiUrl !== undefined) return
  throw new TypeError(
    "providers(): in production, set apiUrl to the origin of the API, such as 'https://api.example.com'.",
  )
}

function findReturnUrls(
  { mail }: SignInContext,
  { returnUrls }: IdentitySettings,
): IdentityParts['returnUrls'] {
  const [first, ...others] = returnUrls ?? []
  if (first !== undefined) return [first, ...others]
  if (mail) return [`${mail.appUrl.replace(/\/+$/, '')}/login-callback`]
  throw new TypeError(
    "providers(): set returnUrls to the pages that browsers return to, such as ['https://app.example.com/login-callback'], or auth.mail.",
  )
}
