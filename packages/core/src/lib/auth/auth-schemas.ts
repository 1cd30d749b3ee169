import { z, type ZodRawShape } from 'zod'
import { emailSchema } from './email.ts'
import { createNewPasswordSchema, createPasswordSchema } from './password-policy.ts'
import { createUserSchema } from './user-view.ts'

/** What the schemas depend on. */
export interface AuthSchemaOptions {
  /** Fewest code points of a new password. */
  minLength: number
  /** The application's own fields of a user: what registration takes, what answers show. */
  fields: { input: ZodRawShape; output: ZodRawShape }
}

/** The schemas of every authentication route. */
export type AuthSchemas = ReturnType<typeof createAuthSchemas>

const refreshToken = z.string().max(512, 'must have at most 512 characters')

/**
 * Makes the schemas of the authentication routes.
 * @param options - length of passwords and fields of users
 * @returns the schemas
 */
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the schemas are their own types
export function createAuthSchemas(options: AuthSchemaOptions) {
  const { minLength, fields } = options
  const newPassword = createNewPasswordSchema(minLength)
  const password = createPasswordSchema()
  const user = createUserSchema(fields.output)
  return {
    user,
    register: z.strictObject({ ...fields.input, email: emailSchema, password: newPassword }),
    login: z.strictObject({ email: emailSchema, password }),
    refresh: z.strictObject({ refreshToken }),
    grant: z.object({
      user,
      accessToken: z.string(),
      refreshToken: z.string(),
      tokenType: z.literal('Bearer'),
      expiresIn: z.int(),
    }),
  }
}
