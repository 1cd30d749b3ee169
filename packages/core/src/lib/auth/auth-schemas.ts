import { z, type ZodRawShape } from 'zod'
import { createNewPasswordSchema, createPasswordSchema } from './password-policy.ts'
import { refreshBody } from './refresh-transport.ts'
import { createUserSchema } from './user-view.ts'
import { emailAddress } from '../kernel/email-address.ts'

export interface AuthSchemaOptions {
  /** Minimum length of a new password in code points. */
  minLength: number
  /** The application's own fields of a user: registration input, and response. */
  fields: { readonly input: ZodRawShape; readonly output: ZodRawShape }
  /** Whether refresh tokens are in bodies. */
  inBody: boolean
  /** Scheme of access tokens in `Authorization`. */
  scheme: string
}

const mailToken = z.string().regex(/^[\w-]{43}$/, 'must be the token of a link')

export type AuthSchemas = ReturnType<typeof createAuthSchemas>

// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the schemas are their own types
export function createAuthSchemas(options: AuthSchemaOptions) {
  const { minLength, fields, inBody } = options
  const newPassword = createNewPasswordSchema(minLength)
  const password = createPasswordSchema()
  const user = createUserSchema(fields.output)
  return {
    user,
    register: z.strictObject({ ...fields.input, email: emailAddress, password: newPassword }),
    login: z.strictObject({ email: emailAddress, password }),
    refresh: refreshBody,
    changePassword: z.strictObject({ currentPassword: password, newPassword }),
    email: z.strictObject({ email: emailAddress }),
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
