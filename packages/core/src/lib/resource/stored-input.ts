import { type core, z } from 'zod'
import { isRecord, toIntegerText, toPlain } from '../json/plain.ts'
import { toMembers } from '../schemas/schema-members.ts'

// A stored value as a client would send it, for validation: JSON, without members that only the server writes.
// Unlike a serializer it keeps the members of every alternative of a union, so that a mixture is noticed.
export function toStoredInput(schema: core.$ZodType, value: unknown): unknown {
  const inner = unwrap(schema)
  if (inner) return toStoredInput(inner, value)
  if (Array.isArray(value)) {
    const item = schema instanceof z.ZodArray ? schema.element : z.unknown()
    return value.map((one) => toStoredInput(item, one))
  }
  if (schema instanceof z.ZodBigInt) return toIntegerText(value)
  if (!isRecord(value)) return toPlain(value)
  if (schema instanceof z.ZodRecord) {
    const entries = Object.entries(value).map(([key, member]) => [
      key,
      toStoredInput(schema.valueType, member),
    ])
    return Object.fromEntries(entries)
  }
  const members = hasCatchall(schema) ? undefined : toMembers(schema)
  if (!members) return toPlain(value)
  const known = Array.from(members, ([key, member]) => [
    key,
    Object.hasOwn(value, key) ? toStoredInput(member.schema, value[key]) : undefined,
  ])
  return Object.fromEntries(known.filter(([, member]) => member !== undefined))
}

function hasCatchall(schema: core.$ZodType): boolean {
  if (schema instanceof z.ZodUnion) return schema.options.some(hasCatchall)
  if (!(schema instanceof z.ZodObject)) return false
  const { catchall } = schema.def
  return catchall !== undefined && !(catchall instanceof z.ZodNever)
}

// The schema of a value that is neither absent nor null.
export function unwrap(schema: core.$ZodType): core.$ZodType | undefined {
  return schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodLazy
    ? schema.unwrap()
    : undefined
}
