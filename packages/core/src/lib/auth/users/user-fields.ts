import { type SchemaDefinition } from 'mongoose'
import { z, type ZodRawShape } from 'zod'

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

// Whether null removes a field: it is optional, and null is none of its values.
export function isRemovedByNull(schema: ZodRawShape[string]): boolean {
  const absent = z.safeParse(schema, undefined)
  return absent.success && absent.data === undefined && !z.safeParse(schema, null).success
}

// Changes as the store takes them, which removes what is undefined.
export function toStoredFields(
  input: ZodRawShape,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => {
        const schema = input[name]
        return [name, value === null && schema && isRemovedByNull(schema) ? undefined : value]
      }),
  )
}
