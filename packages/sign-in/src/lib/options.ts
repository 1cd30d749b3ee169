import { parseDuration, type Duration } from '@create-api/core/internal/sign-in'
import { type StoredUser } from '@create-api/core/auth'
import { z } from 'zod'

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
   * Mails that tell a user of changes: a new factor, a removed one, a used recovery code, a changed password and a login
   * from a new device. They need `auth.mail`.
   * @default true
   */
  readonly notices?: boolean | undefined
}

// The options with their defaults; durations in milliseconds.
export interface SignInSettings {
  readonly encryptionKeys: readonly string[] | undefined
  readonly issuer: string | undefined
  readonly required: (user: StoredUser) => boolean | Promise<boolean>
  readonly stepLifetime: number
  readonly freshness: number
  readonly links: LinkSettings | undefined
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
  required: z.custom<SignInSettings['required']>((value) => typeof value === 'function').optional(),
  stepLifetime: z.union([z.string(), z.number()]).optional(),
  freshness: z.union([z.string(), z.number()]).optional(),
  links: z
    .union([
      z.boolean(),
      z.strictObject({
        lifetime: z.union([z.string(), z.number()]).optional(),
        path: z.string().startsWith('/').optional(),
      }),
    ])
    .optional(),
  notices: z.boolean().optional(),
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
  return {
    encryptionKeys: data.encryptionKeys,
    issuer: data.issuer,
    required: data.required ?? (() => false),
    stepLifetime: duration('stepLifetime', 1000, 60 * minute)(data.stepLifetime ?? '5m'),
    freshness: duration('freshness', minute, 1440 * minute)(data.freshness ?? '10m'),
    links: data.links ? toLinkSettings(data.links === true ? {} : data.links) : undefined,
    notices: data.notices ?? true,
  }
}

function toLinkSettings({ lifetime = '10m', path = '/login-link' }: LinkOptions): LinkSettings {
  return { lifetime: duration('links.lifetime', minute, 60 * minute)(lifetime), path }
}
