import { type core, z } from 'zod'
import { type Rule } from '../access/access.ts'
import { toInner } from '../schemas/schema-members.ts'
import { toRestriction } from '../schemas/restrict.ts'

// The form of a value as its response schema describes it. The writers of objects and of stored bytes follow from it.
export type Shape =
  | { readonly kind: 'object'; readonly fields: readonly ShapeField[] }
  | { readonly kind: 'array'; readonly item: core.$ZodType }
  | { readonly kind: 'record'; readonly item: core.$ZodType }
  | { readonly kind: 'tuple'; readonly schema: z.ZodTuple }
  | { readonly kind: 'union'; readonly schema: z.ZodUnion }
  | { readonly kind: 'intersection'; readonly schema: z.ZodIntersection }
  | { readonly kind: 'any' | 'integer' | 'scalar' }
  | { readonly kind: 'same' | 'nullable'; readonly inner: core.$ZodType }
  | { readonly kind: 'optional'; readonly inner: core.$ZodType; readonly keepsNull: boolean }
  | { readonly kind: 'default'; readonly schema: z.ZodDefault | z.ZodPrefault }

export interface ShapeField {
  readonly key: string
  readonly schema: core.$ZodType
}

// Fields that only refused rules allow to read are left out.
export function toShape(schema: core.$ZodType, refused: ReadonlySet<Rule> | undefined): Shape {
  if (schema instanceof z.ZodObject) return { kind: 'object', fields: toFields(schema, refused) }
  if (schema instanceof z.ZodArray) return { kind: 'array', item: schema.element }
  if (schema instanceof z.ZodRecord) return { kind: 'record', item: schema.valueType }
  if (schema instanceof z.ZodUnion) return { kind: 'union', schema }
  if (schema instanceof z.ZodIntersection) return { kind: 'intersection', schema }
  if (schema instanceof z.ZodTuple) return { kind: 'tuple', schema }
  if (schema instanceof z.ZodUnknown || schema instanceof z.ZodAny) return { kind: 'any' }
  return toWrapperShape(schema)
}

function toFields(schema: z.ZodObject, refused: ReadonlySet<Rule> | undefined): ShapeField[] {
  return (
    Object.entries(schema.shape)
      // Assigning it would set the prototype.
      .filter(([key, field]) => key !== '__proto__' && !isHidden(field, refused))
      .map(([key, field]) => ({ key, schema: field }))
  )
}

function isHidden(field: core.$ZodType, refused: ReadonlySet<Rule> | undefined): boolean {
  if (!refused) return false
  const rule = toRestriction(field)?.readable
  return rule !== undefined && refused.has(rule)
}

function toWrapperShape(schema: core.$ZodType): Shape {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional) {
    const inner = schema.unwrap()
    // A view makes optional fields optional.
    if (inner instanceof z.ZodOptional) return { kind: 'same', inner }
    // MongoDB may store null for a missing field; in JSON it is left out.
    return { kind: 'optional', inner, keepsNull: inner instanceof z.ZodNullable }
  }
  if (schema instanceof z.ZodNullable) return { kind: 'nullable', inner: schema.unwrap() }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return { kind: 'default', schema }
  }
  if (schema instanceof z.ZodBigInt || hasBigInt(schema)) return { kind: 'integer' }
  const inner = toInner(schema, 'output')
  return inner ? { kind: 'same', inner } : { kind: 'scalar' }
}

function hasBigInt(schema: core.$ZodType): boolean {
  if (!(schema instanceof z.ZodLiteral)) return false
  return schema.values.size > 0 && [...schema.values].every((value) => typeof value === 'bigint')
}
