import { type core, z } from 'zod'

export interface Member {
  readonly schema: core.$ZodType
  /** Whether a value may lack it. */
  readonly optional: boolean
}

// The members of the objects that a schema returns; undefined if it does not name them.
export function toMembers(schema: core.$ZodType): ReadonlyMap<string, Member> | undefined {
  if (schema instanceof z.ZodObject) {
    const entries = Object.entries(schema.shape)
    return new Map(
      entries.map(([key, member]) => [key, { schema: member, optional: mayBeMissing(member) }]),
    )
  }
  if (schema instanceof z.ZodUnion) return mergeOptions(schema.options)
  if (schema instanceof z.ZodIntersection) return mergeParts(schema.def.left, schema.def.right)
  const inner = unwrap(schema)
  const members = inner && toMembers(inner)
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
  const inner = isEmptiable(schema) ? undefined : unwrap(schema)
  return inner && toItem(inner)
}

function unwrap(schema: core.$ZodType): core.$ZodType | undefined {
  if (schema instanceof z.ZodPipe) return schema.out
  return isEmptiable(schema) ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodNonOptional ||
    schema instanceof z.ZodLazy
    ? schema.unwrap()
    : undefined
}

function isEmptiable(schema: core.$ZodType): schema is z.ZodOptional | z.ZodNullable {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
}

function mergeOptions(options: readonly core.$ZodType[]): ReadonlyMap<string, Member> | undefined {
  const maps = options.map(toMembers)
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
  left: core.$ZodType,
  right: core.$ZodType,
): ReadonlyMap<string, Member> | undefined {
  const [first, second] = [toMembers(left), toMembers(right)]
  return first && second && new Map([...first, ...second])
}

// As JSON Schema says it: a member with a default is always there.
function mayBeMissing(schema: core.$ZodType): boolean {
  const object = z.object({ member: schema })
  const { required } = z.toJSONSchema(object, { io: 'output', unrepresentable: 'any' })
  return required?.includes('member') !== true
}
