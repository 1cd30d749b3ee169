import { z, type ZodRawShape } from 'zod'
import { toSchemes } from '../tokens/schemes.ts'
import { createNewPasswordSchema, createPasswordSchema } from '../passwords/password-policy.ts'
import { refreshBody } from '../sessions/refresh-transport.ts'
import { isRemovedByNull, resolveUserFields, type UserFields } from '../users/user-fields.ts'
import { createUserSchema } from '../users/user-view.ts'
import { typedEmailAddress } from '../../schemas/email-address.ts'

export interface AuthSchemaOptions {
  /** Minimum length of a new password in code points. */
  minLength: number
  /** The application's own fields of a user: registration input, and response. */
  fields: { readonly input: ZodRawShape; readonly output: ZodRawShape }
  /** Whether refresh tokens are in bodies. */
  inBody: boolean
  /** Scheme of access tokens in `Authorization`. */
  scheme: string
  /** The field that users log in with. */
  identifier: string
}

// From options that no environment variable changes.
export function toSchemaOptions(values: {
  readonly cookies?: unknown
  readonly identifier: string
  readonly password: { readonly minLength: number }
  readonly scheme: string
  readonly schemes?: readonly string[] | undefined
  readonly userFields?: UserFields | undefined
}): AuthSchemaOptions {
  return {
    minLength: values.password.minLength,
    fields: resolveUserFields(values.userFields),
    inBody: values.cookies === undefined,
    identifier: values.identifier,
    scheme: toSchemes(values)[0],
  }
}

const id = z.string().regex(/^[0-9a-f]{24}$/)
// A word of an access rule; what the owner may grant is checked later.
const scope = z.string().regex(/^[\w.:-]{1,100}$/, 'must be a role, a permission or user')
const apiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    lastFour: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ApiKey' })

const mailToken = z.string().regex(/^[\w-]{43}$/, 'must be the token of a link')

/** The schemas of authentication, for routes and documents of the application. */
export interface AuthSchemas {
  /** An e-mail address; the output is canonical. */
  readonly email: z.ZodType<string, string>
  /** The password of a login; the output is normalised. */
  readonly password: z.ZodType<string, string>
  /** A password that a user chooses, of `password.minLength` or more; the output is normalised. */
  readonly newPassword: z.ZodType<string, string>
  /** The application's own fields of a registration, without address and password. */
  readonly fields: z.ZodObject
  /** A user in responses. */
  readonly user: z.ZodObject
  /** User and tokens, as register, login and refresh return them. */
  readonly grant: z.ZodObject
}

export type RouteSchemas = ReturnType<typeof createAuthSchemas>

// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the schemas are their own types
export function createAuthSchemas(options: AuthSchemaOptions) {
  const { minLength, fields, identifier, inBody } = options
  const newPassword = createNewPasswordSchema(minLength)
  const password = createPasswordSchema()
  const user = createUserSchema(fields.output)
  return {
    email: typedEmailAddress,
    password,
    newPassword,
    fields: z.strictObject(fields.input),
    fieldChanges: z.object(toOptional(fields.input)),
    emailOnly: z.strictObject({ email: typedEmailAddress }),
    passwordOnly: z.strictObject({ password: newPassword }),
    ownPassword: z.strictObject({ password }),
    user,
    register: z.strictObject({ ...fields.input, email: typedEmailAddress, password: newPassword }),
    login: z.strictObject({
      [identifier]: fields.input[identifier] ?? typedEmailAddress,
      password,
    }),
    // A change of the name that users log in with needs the password.
    updateMe: z.strictObject({
      ...toOptional(fields.input),
      ...(identifier === 'email' ? {} : { currentPassword: password.optional() }),
    }),
    changeEmail: z.strictObject({ email: typedEmailAddress, currentPassword: password }),
    refresh: refreshBody,
    changePassword: z.strictObject({ currentPassword: password, newPassword }),
    resetPassword: z.strictObject({ token: mailToken, password: newPassword }),
    verifyEmail: z.strictObject({ token: mailToken }),
    sessionParams: z.object({ id }),
    sessions: z.array(
      z.object({
        id: z.string(),
        device: z.string().nullable(),
        address: z.string().nullable(),
        createdAt: z.iso.datetime(),
        lastSeenAt: z.iso.datetime(),
        current: z.boolean(),
      }),
    ),
    keyParams: z.object({ id }),
    newKey: z.strictObject({
      name: z.string().trim().min(1).max(100),
      scopes: z.array(scope).min(1).max(100),
      expiresAt: z.iso.datetime({ offset: true }).optional(),
    }),
    keys: z.array(apiKey),
    issuedKey: apiKey.extend({ key: z.string() }).meta({ id: 'IssuedApiKey' }),
    pending: z.object({ status: z.literal('pending') }),
    grant: z.object({
      user,
      accessToken: z.string(),
      ...(inBody ? { refreshToken: z.string() } : {}),
      tokenType: z.literal(options.scheme),
      expiresIn: z.int(),
    }),
  }
}

// Without defaults: a change that leaves a field out must not reset it.
function toOptional(shape: ZodRawShape): ZodRawShape {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => {
      const inner =
        schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault ? schema.unwrap() : schema
      return [name, isRemovedByNull(inner) ? z.nullish(inner) : z.optional(inner)]
    }),
  )
}
