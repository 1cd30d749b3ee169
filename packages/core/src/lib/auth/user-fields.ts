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
   * What registration takes, as Zod schemas; other fields are refused.
   * @default {}
   */
  input?: ZodRawShape | undefined
  /**
   * What answers show, as Zod schemas.
   * @default {}
   */
  output?: ZodRawShape | undefined
}

/** {@link UserFields}, resolved. */
export type ResolvedUserFields = {
  readonly [Name in keyof UserFields]-?: NonNullable<UserFields[Name]>
}

const own = new Set(
  'id _id email password passwordHash role emailVerified disabled createdAt updatedAt fields'.split(
    ' ',
  ),
)

/**
 * Resolves the application's own fields.
 * @param fields - as given
 * @returns the fields
 * @throws TypeError when a field would replace one of ours
 */
export function resolveUserFields(fields: UserFields = { model: {} }): ResolvedUserFields {
  const { model, input = {}, output = {} } = fields
  for (const name of [...Object.keys(model), ...Object.keys(input), ...Object.keys(output)]) {
    if (own.has(name)) throw new TypeError(`auth.userFields must not replace the field '${name}'.`)
  }
  return { model, input, output }
}
