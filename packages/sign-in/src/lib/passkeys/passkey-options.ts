import { z } from 'zod'

/** Options for passkeys (Web Authentication Level 3). */
export interface PasskeyOptions {
  /**
   * Id of the relying party: the domain of the front end, without scheme and port, or a parent domain of it. Passkeys are
   * bound to it: with another id, none of them works.
   */
  readonly id: string
  /**
   * The origins that passkeys may be used on, such as `https://app.example.com`; `http` for `localhost` only. An Android
   * application has `android:apk-key-hash:…`.
   */
  readonly origins: readonly string[]
  /**
   * Name of the service that authenticators show.
   * @default the name of the API
   */
  readonly name?: string | undefined
  /**
   * Whether an authenticator must verify the user by a PIN or biometrics. With `preferred`, a login without it needs the
   * second factor of the user, if any.
   * @default 'required'
   */
  readonly userVerification?: 'required' | 'preferred' | undefined
}

export interface PasskeySettings {
  readonly id: string
  readonly origins: readonly string[]
  readonly name: string | undefined
  readonly userVerification: 'required' | 'preferred'
}

const domain = z
  .string()
  .regex(
    /^(?:localhost|(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9])$/,
    'must be a domain in lower case, such as example.com or localhost, without scheme, port and path',
  )
  .max(253)

const known = z.strictObject({
  id: domain,
  origins: z.array(z.string()).min(1),
  name: z.string().min(1).max(64).optional(),
  userVerification: z.enum(['required', 'preferred']).default('required'),
})

// Throws TypeError that names the option.
export function readPasskeyOptions(options: PasskeyOptions): PasskeySettings {
  const { success, data, error } = known.safeParse(options)
  if (!success) {
    const [issue] = error.issues
    throw new TypeError(`passkeys(): ${issue?.path.join('.') || 'options'}: ${issue?.message}`)
  }
  for (const origin of data.origins) {
    const fault = findOriginFault(origin, data.id)
    if (fault !== undefined) throw new TypeError(`passkeys(): origins: ${origin} ${fault}`)
  }
  return { ...data, name: data.name }
}

const android = /^android:apk-key-hash:[\w-]{43}$/

function findOriginFault(origin: string, id: string): string | undefined {
  if (android.test(origin)) return undefined
  const url = URL.canParse(origin) ? new URL(origin) : undefined
  if (url?.origin !== origin) {
    return `must be an origin such as https://${id}, in lower case, without path and default port.`
  }
  const { hostname, protocol } = url
  const isLocal = /(?:^|\.)localhost$/.test(hostname)
  if (protocol !== 'https:' && !(protocol === 'http:' && isLocal)) {
    return 'must begin with https://, except for localhost.'
  }
  if (hostname === id || hostname.endsWith(`.${id}`)) return undefined
  return `does not belong to the id ${id}: its host must be ${id} or a subdomain of it.`
}
