import { passkeyRouteNames } from '../route-names.ts'
import { uncounted } from '../uncounted.ts'
import { type SignInWay } from '../way.ts'
import { createChallenges } from './challenges.ts'
import { createPasskeys } from './create-passkeys.ts'
import { createPasskeyModels } from './passkey-models.ts'
import { type PasskeyOptions, readPasskeyOptions } from './passkey-options.ts'
import { createPasskeyRoutes } from './passkey-routes.ts'
import { type Passkeys } from './passkeys.ts'

declare module '@create-api/core/auth' {
  interface SignInServices {
    /** The passkeys of users; with `auth.signIn` and its option `passkeys`. */
    readonly passkeys: Passkeys
  }
}

/**
 * Adds passkeys (Web Authentication Level 3) to `createSignIn`: registration, login without an address, and recent proofs.
 * It needs the package `@simplewebauthn/server`.
 * @param options - the domain and the origins that passkeys are bound to
 * @returns the value of the option `passkeys`
 * @throws TypeError that names the option that is not valid
 * @example
 * ```ts
 * import { createSignIn } from '@create-api/sign-in'
 * import { passkeys } from '@create-api/sign-in/passkeys'
 *
 * const signIn = createSignIn({
 *   passkeys: passkeys({ id: 'example.com', origins: ['https://app.example.com'] }),
 * })
 * ```
 */
export function passkeys(options: PasskeyOptions): SignInWay {
  const settings = readPasskeyOptions(options)
  return {
    name: 'passkeys',
    routeNames: passkeyRouteNames,
    create({ beforeSession, canLogIn, context, freshness }) {
      const models = createPasskeyModels(context.place)
      const challenges = createChallenges(models.challenges, context)
      const parts = { beforeSession, canLogIn, challenges, context, models, settings }
      return {
        service: createPasskeys(parts, context.takeLimit),
        routes: createPasskeyRoutes(context, freshness, createPasskeys(parts, uncounted)),
        async canLogIn(userId) {
          return (await models.passkeys.exists({ userId, isLeaving: false })) !== null
        },
        endLogins: challenges.removeAll,
        async removeUser(userId) {
          await models.passkeys.deleteMany({ userId })
          await challenges.removeAll(userId)
        },
      }
    },
  }
}
