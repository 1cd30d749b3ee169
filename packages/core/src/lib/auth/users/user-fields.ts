import { type SchemaDefinition } from 'mongoose'
import { z, type ZodRawShape } from 'zod'
import { type User } from '../../access/caller.ts'

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

type DeclaredName = Exclude<keyof User, 'id' | 'email' | 'roles' | 'permissions'>

/** The application's own fields of a user, with the types that {@link User} declares. */
export type OwnFields = Readonly<Pick<User, DeclaredName> & Record<string, unknown>>

/** Name of an own field that {@link User} declares, or any text where it declares none. */
export type OwnFieldName = [DeclaredName] extends [never] ? string : DeclaredName

/** The values that own fields of users have; each condition has to be met. */
export type UserFilter = { readonly [Name in OwnFieldName]?: OwnFields[Name] }

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

// Throws TypeError for a name that is not an own field.
export function requireOwnFields(
  { model }: Pick<ResolvedUserFields, 'model'>,
  names: readonly string[],
): void {
  const unknown = names.filter((name) => !Object.hasOwn(model, name))
  if (unknown.length === 0) return
  const known = Object.keys(model).join(', ') || 'none'
  throw new TypeError(
    `auth.userFields.model has no field ${unknown.join(', ')}. Own fields: ${known}.`,
  )
}
