import { z, type ZodRawShape } from 'zod'
import { emailSchema } from './email.ts'
import { createNewPasswordSchema, createPasswordSchema } from './password-policy.ts'
import { refreshBody } from './refresh-transport.ts'
import { createUserSchema } from './user-view.ts'

/** What the schemas depend on. */
export interface AuthSchemaOptions {
  /** Fewest code points of a new password. */
  minLength: number
  /** The application's own fields of a user: what registration takes, what answers show. */
  fields: { readonly input: ZodRawShape; readonly output: ZodRawShape }
  /** Whether refresh tokens travel in bodies. */
  inBody: boolean
  /** The word before an access token. */
  scheme: string
}

const mailToken = z.string().regex(/^[\w-]{43}$/, 'must be the token of a link')

/** The schemas of every authentication route. */
export type AuthSchemas = ReturnType<typeof createAuthSchemas>

/**
 * Makes the schemas of the authentication routes.
 * @param options - length of passwords and fields of users
 * @returns the schemas
 */
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the schemas are their own types
export function createAuthSchemas(options: AuthSchemaOptions) {
  const { minLength, fields, inBody } = options
  const newPassword = createNewPasswordSchema(minLength)
  const password = createPasswordSchema()
  const user = createUserSchema(fields.output)
  return {
    user,
    register: z.strictObject({ ...fields.input, email: emailSchema, password: newPassword }),
    login: z.strictObject({ email: emailSchema, password }),
    refresh: refreshBody,
    changePassword: z.strictObject({ currentPassword: password, newPassword }),
    email: z.strictObject({ email: emailSchema }),
    resetPassword: z.strictObject({ token: mailToken, password: newPassword }),
    verifyEmail: z.strictObject({ token: mailToken }),
    sessionParams: z.object({ id: z.string().regex(/^[0-9a-f]{24}$/) }),
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
