import { type core, z } from 'zod'

export interface Member {
  readonly schema: core.$ZodType
  /** Whether a value may lack it. */
  readonly optional: boolean
}

// The value that a schema accepts, or the one that it returns.
export type Side = 'input' | 'output'

// The members of the objects of a schema; undefined if it does not name them.
export function toMembers(
  schema: core.$ZodType,
  side: Side = 'output',
): ReadonlyMap<string, Member> | undefined {
  if (schema instanceof z.ZodObject) {
    const entries = Object.entries(schema.shape)
    return new Map(
      entries.map(([key, member]) => [key, { schema: member, optional: isOptional(member, side) }]),
    )
  }
  if (schema instanceof z.ZodUnion) return mergeOptions(schema.options, side)
  if (schema instanceof z.ZodIntersection) return mergeParts(schema.def, side)
  const inner = toInner(schema, side)
  const members = inner && toMembers(inner, side)
  if (!members || !isEmptiable(schema)) return members
  return new Map(Array.from(members, ([key, member]) => [key, { ...member, optional: true }]))
}

// Code without types can pass a union or a lazy schema.
export function requireObjectSchema(schema: core.$ZodType, caller: string): void {
  if (schema instanceof z.ZodObject) return
  throw new TypeError(
    `${caller} needs the schema of an object: z.strictObject({ … }). A union or a lazy schema can be one of its fields.`,
  )
}

// The items of the list that a schema returns; undefined if it returns something else.
export function toItem(schema: core.$ZodType): core.$ZodType | undefined {
  if (schema instanceof z.ZodArray) return schema.element
  const inner = isEmptiable(schema) ? undefined : toInner(schema, 'output')
  return inner && toItem(inner)
}

// The schema of the same value that another one adds something to, such as a default.
export function toInner(schema: core.$ZodType, side: Side): core.$ZodType | undefined {
  if (schema instanceof z.ZodPipe) return side === 'input' ? schema.in : schema.out
  return isEmptiable(schema) ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodNonOptional ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodLazy
    ? schema.unwrap()
    : undefined
}

// The schemas of the parts of a value.
export function toChildren(schema: core.$ZodType, side: Side): readonly core.$ZodType[] {
  if (schema instanceof z.ZodObject) {
    const { catchall, shape } = schema.def
    return [...Object.values(shape), ...(catchall ? [catchall] : [])]
  }
  if (schema instanceof z.ZodArray) return [schema.element]
  if (schema instanceof z.ZodTuple) {
    const { items, rest } = schema.def
    return rest ? [...items, rest] : items
  }
  if (schema instanceof z.ZodRecord) return [schema.valueType]
  if (schema instanceof z.ZodUnion) return schema.options
  if (schema instanceof z.ZodIntersection) return [schema.def.left, schema.def.right]
  const inner = toInner(schema, side)
  return inner ? [inner] : []
}

// Finds the option of a discriminated union that a value belongs to; undefined for another union.
export function toChooser(
  schema: z.ZodUnion,
): ((value: unknown) => core.$ZodType | undefined) | undefined {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return undefined
  const { discriminator } = schema.def
  const byValue = new Map(
    schema.options.flatMap((option) =>
      Array.from(listConstants(option, discriminator), (value) => [value, option] as const),
    ),
  )
  return (value) => byValue.get(Object(value)[discriminator])
}

function listConstants({ _zod }: core.$ZodType, key: string): Iterable<unknown> {
  return _zod.propValues?.[key] ?? []
}

// The schema of a value that is neither absent nor null.
export function toPresent(schema: core.$ZodType): core.$ZodType {
  return isEmptiable(schema) ? toPresent(schema.unwrap()) : schema
}

function isEmptiable(
  schema: core.$ZodType,
): schema is z.ZodOptional | z.ZodExactOptional | z.ZodNullable {
  return (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodNullable
  )
}

function mergeOptions(
  options: readonly core.$ZodType[],
  side: Side,
): ReadonlyMap<string, Member> | undefined {
  const maps = options.map((option) => toMembers(option, side))
  const keys = new Set(maps.flatMap((members) => [...(members?.keys() ?? [])]))
  if (maps.includes(undefined)) return undefined
  return new Map(
    Array.from(keys, (key) => {
      const found = maps.flatMap((members) => members?.get(key) ?? [])
      const optional = found.length < maps.length || found.some((member) => member.optional)
      return [key, { schema: toOne(found.map(({ schema }) => schema)), optional }]
    }),
  )
}

function toOne(schemas: readonly core.$ZodType[]): core.$ZodType {
  const [first, ...others] = new Set(schemas)
  return first && others.length === 0 ? first : z.union([...schemas])
}

function mergeParts(
  { left, right }: z.ZodIntersection['def'],
  side: Side,
): ReadonlyMap<string, Member> | undefined {
  const [first, second] = [toMembers(left, side), toMembers(right, side)]
  return first && second && new Map([...first, ...second])
}

// As JSON Schema says it: a member with a default need not be sent, and is always returned.
export function isOptional({ _zod }: core.$ZodType, side: Side): boolean {
  return (side === 'input' ? _zod.optin : _zod.optout) !== undefined
}
