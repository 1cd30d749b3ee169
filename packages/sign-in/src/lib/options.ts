import { type Duration, parseDuration } from '@create-api/core/internal/sign-in'
import { type StoredUser } from '@create-api/core/auth'
import { z } from 'zod'
import { type SignInRouteName } from './route-names.ts'
import { type SignInWay } from './way.ts'

/** Options for logins by mail. */
export interface LinkOptions {
  /**
   * Time within which link and code work, 1m to 1h.
   * @default '10m'
   */
  readonly lifetime?: Duration | undefined
  /**
   * Path of the page below `appUrl` that reads the token of the link (`?token=…`).
   * @default '/login-link'
   */
  readonly path?: string | undefined
}

/** Options for {@link createSignIn}. */
export interface SignInOptions {
  /**
   * Secrets that encrypt what is stored of factors: 32 random bytes or more in base64 or hex. The first one encrypts, and
   * all decrypt. To rotate, put a new one first; a secret of a factor is encrypted again when it is used.
   * @default the secrets of authentication, whose rotation then makes factors unusable once the old secret is removed
   */
  readonly encryptionKeys?: readonly string[] | undefined
  /**
   * Name of the service in authenticator applications.
   * @default the name of the API
   */
  readonly issuer?: string | undefined
  /**
   * Whether a user must have a second factor. Without one, the user sets it up at the next login.
   * @default () => false
   */
  readonly required?: ((user: StoredUser) => boolean | Promise<boolean>) | undefined
  /**
   * Time for which a device needs no code after a login with `trustDevice`, 1h to 90d; `false` for no such devices.
   * @default false
   */
  readonly trustedDevices?: Duration | false | undefined
  /**
   * Time that a user has for the second step of a login, 1s to 1h.
   * @default '5m'
   */
  readonly stepLifetime?: Duration | undefined
  /**
   * Age that the last proof of identity may have when factors are changed, 1m to 1d: `fresh`.
   * @default '10m'
   */
  readonly freshness?: Duration | undefined
  /**
   * Logins by a link or a code in a mail: `true`, or options. They need `auth.mail`.
   * @default false
   */
  readonly links?: boolean | LinkOptions | undefined
  /**
   * Logins by passkeys: `passkeys({ … })` of `@create-api/sign-in/passkeys`.
   * @default undefined, none
   */
  readonly passkeys?: SignInWay | undefined
  /**
   * Logins with other providers: the result of `providers` of `@create-api/sign-in/providers`.
   * @default undefined, none
   */
  readonly providers?: SignInWay | undefined
  /**
   * The built-in routes: false for none, a list of names, or those that do not exist.
   * @default true, all
   */
  readonly routes?:
    | boolean
    | readonly SignInRouteName[]
    | { readonly except: readonly SignInRouteName[] }
    | undefined
  /**
   * Mails that tell a user of changes: a new factor, a removed one, a used recovery code, a changed password and a login
   * from a new device. They need `auth.mail`.
   * @default true
   */
  readonly notices?: boolean | undefined
}

// The options with their defaults; other durations in milliseconds.
export interface SignInSettings {
  readonly encryptionKeys?: readonly string[] | undefined
  readonly issuer?: string | undefined
  readonly required: (user: StoredUser) => boolean | Promise<boolean>
  readonly stepLifetime: number
  readonly trustedDevices: number | undefined
  /** As it was written: it is part of the name of the rule. */
  readonly freshness: Duration
  readonly links: LinkSettings | undefined
  readonly passkeys?: SignInWay | undefined
  readonly providers?: SignInWay | undefined
  readonly notices: boolean
}

export interface LinkSettings {
  /** In milliseconds. */
  readonly lifetime: number
  readonly path: string
}

const minute = 60_000

function duration(name: string, least: number, most: number): (value: unknown) => number {
  return (value) => {
    const ms = parseDuration(value, name)
    if (ms >= least && ms <= most) return ms
    throw new TypeError(`${name} must be from ${least / 1000}s to ${most / 1000}s.`)
  }
}

const known = z.strictObject({
  encryptionKeys: z.array(z.string().min(32)).min(1).optional(),
  issuer: z
    .string()
    .regex(/^[^:]{1,100}$/)
    .optional(),
  required: z
    .custom<SignInSettings['required']>((value) => typeof value === 'function')
    .default(() => () => false),
  stepLifetime: z.union([z.string(), z.number()]).default('5m'),
  trustedDevices: z.union([z.string(), z.number(), z.literal(false)]).default(false),
  freshness: z.union([z.string(), z.number()]).default('10m'),
  links: z
    .union([
      z.boolean(),
      z.strictObject({
        lifetime: z.union([z.string(), z.number()]).optional(),
        path: z.string().startsWith('/').optional(),
      }),
    ])
    .default(false),
  passkeys: z
    .custom<SignInWay>(
      (value) => Object(value).name === 'passkeys',
      'must be passkeys({ … }) of @create-api/sign-in/passkeys',
    )
    .optional(),
  providers: z
    .custom<SignInWay>(
      (value) => Object(value).name === 'identities',
      'must be providers({ … }) of @create-api/sign-in/providers',
    )
    .optional(),
  routes: z.unknown().default(true),
  notices: z.boolean().default(true),
})

// Throws TypeError that names the option.
export function readOptions(options: SignInOptions): SignInSettings {
  const { success, data, error } = known.safeParse(options)
  if (!success) {
    const [issue] = error.issues
    throw new TypeError(
      `createSignIn(): ${issue?.path.join('.') || 'options'}: ${issue?.message ?? 'not valid'}`,
    )
  }
  duration('freshness', minute, 1440 * minute)(data.freshness)
  return {
    ...data,
    stepLifetime: duration('stepLifetime', 1000, 60 * minute)(data.stepLifetime),
    trustedDevices:
      data.trustedDevices === false
        ? undefined
        : duration('trustedDevices', 60 * minute, 90 * 1440 * minute)(data.trustedDevices),
    links: toLinkSettings(data.links),
  }
}

function toLinkSettings(links: boolean | LinkOptions): LinkSettings | undefined {
  if (links === false) return undefined
  const { lifetime = '10m', path = '/login-link' } = links === true ? {} : links
  return { lifetime: duration('links.lifetime', minute, 60 * minute)(lifetime), path }
}
