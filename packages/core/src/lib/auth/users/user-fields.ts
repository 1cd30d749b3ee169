import { type SchemaDefinition } from 'mongoose'
import { type ZodRawShape } from 'zod'

/**
 * The application's own fields of a user. For their types in `req.user`, extend the interface
 * `User`: `declare module '@create-api/core' { interface User { name: string } }`.
 */
export interface UserFields {
  /** Paths of the Mongoose schema. */
  model: SchemaDefinition
  /**
   * Fields of the registration input, as Zod schemas; other fields are rejected.
   * @default {}
   */
  input?: ZodRawShape | undefined
  /**
   * Fields of users in responses, as Zod schemas.
   * @default {}
   */
  output?: ZodRawShape | undefined
}

export type ResolvedUserFields = {
  readonly [Name in keyof UserFields]-?: NonNullable<UserFields[Name]>
}

const builtIn = new Set(
  'id _id email password passwordHash role roles permissions emailVerified disabled createdAt updatedAt fields'.split(
    ' ',
  ),
)

// Throws TypeError when a field would replace a built-in one.
export function resolveUserFields(fields: UserFields = { model: {} }): ResolvedUserFields {
  const { model, input = {}, output = {} } = fields
  for (const name of [...Object.keys(model), ...Object.keys(input), ...Object.keys(output)]) {
    if (builtIn.has(name))
      throw new TypeError(`auth.userFields must not replace the field '${name}'.`)
  }
  return { model, input, output }
}
