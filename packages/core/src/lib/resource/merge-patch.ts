import { type core, z } from 'zod'
import { isRecord, type Readable } from '../json/plain.ts'
import { toJsonDecoder } from '../schemas/decoder.ts'
import { toStoredInput, unwrap } from './stored-input.ts'

// Merges a JSON Merge Patch (RFC 7396 section 2) into a value that a schema describes. The schema decides
// where the RFC leaves no choice: null in a member that is not optional is a value, and where a value has
// several alternatives the result is one of them.
export function mergePatch(schema: core.$ZodType, target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch
  if (schema instanceof z.ZodUnion) return mergeAlternatives(schema, target, patch)
  const inner = unwrap(schema)
  if (inner) return mergePatch(inner, target, patch)
  if (!isMergeable(schema)) return patch
  const members = new Map(isRecord(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    // No schema allows such a member, and copying it by assignment would change the prototype.
    if (key === '__proto__' || value === undefined) continue
    const member = toMember(schema, key)
    if (value === null && isRemovable(member)) members.delete(key)
    else members.set(key, mergePatch(member ?? z.unknown(), members.get(key), value))
  }
  return Object.fromEntries(members)
}

// The patch of any other value is the whole value.
function isMergeable(schema: core.$ZodType): boolean {
  return (
    schema instanceof z.ZodObject ||
    schema instanceof z.ZodRecord ||
    schema instanceof z.ZodIntersection ||
    schema instanceof z.ZodUnknown ||
    schema instanceof z.ZodAny
  )
}

// Whether null removes a member: one that is optional, of a record, or that no schema describes.
export function isRemovable(member: core.$ZodType | undefined): boolean {
  if (!member || member instanceof z.ZodOptional) return true
  if (member instanceof z.ZodUnion) return member.options.some(isRemovable)
  const inner = unwrap(member)
  return inner !== undefined && isRemovable(inner)
}

// The schema of a member that cannot be removed unless it is optional.
function toMember(schema: core.$ZodType, key: string): core.$ZodType | undefined {
  if (schema instanceof z.ZodObject) {
    return Object.hasOwn(schema.shape, key) ? schema.shape[key] : toOptional(schema.def.catchall)
  }
  if (schema instanceof z.ZodRecord) return toOptional(schema.valueType)
  if (schema instanceof z.ZodIntersection) {
    return toMember(schema.def.left, key) ?? toMember(schema.def.right, key)
  }
  const inner = unwrap(schema)
  return inner && toMember(inner, key)
}

function toOptional(schema: core.$ZodType | undefined): core.$ZodType | undefined {
  return schema && z.optional(schema)
}

// The merged value, if one of the alternatives accepts it; otherwise the patch instead of the stored value,
// which is how a client changes from one to another.
function mergeAlternatives(schema: z.ZodUnion, target: unknown, patch: Readable): unknown {
  const options = schema.options.filter((option) => !acceptsOnlyNull(option))
  const accepted = (start: unknown): { readonly value: unknown } | undefined => {
    for (const option of options) {
      const value = mergePatch(option, start, patch)
      if (accepts(option, toStoredInput(schema, value))) return { value }
    }
    return undefined
  }
  const start = changesKind(schema, target, patch) ? undefined : target
  const found = accepted(start) ?? accepted(undefined)
  if (found) return found.value
  // It is rejected later, with the faults of the stored alternative.
  const stored = options.find((option) => accepts(option, toStoredInput(schema, start)))
  return mergePatch(stored ?? options[0] ?? z.unknown(), start, patch)
}

function acceptsOnlyNull(schema: core.$ZodType): boolean {
  return schema instanceof z.ZodNull || schema instanceof z.ZodUndefined
}

// Whether a patch changes a member that distinguishes the alternatives, such as `kind`: none has both values.
function changesKind({ options }: z.ZodUnion, target: unknown, patch: Readable): boolean {
  const stored = isRecord(target) ? target : {}
  return Object.keys(patch).some((key) => {
    const members = options.map((option) => toMember(option, key))
    if (!members.some((member) => member && isConstant(member))) return false
    return !members.some(
      (member) =>
        member &&
        z.safeParse(member, stored[key]).success &&
        z.safeParse(member, patch[key]).success,
    )
  })
}

function isConstant(schema: core.$ZodType): boolean {
  return schema instanceof z.ZodLiteral || schema instanceof z.ZodEnum
}

// Whether a schema accepts a value as a whole: one that leaves out unknown members would accept a mixture.
function accepts(schema: core.$ZodType, input: unknown): boolean {
  const decode = toJsonDecoder(schema)
  const result = z.safeParse(schema, decode ? decode(input) : input)
  return result.success && hasEveryMember(result.data, input)
}

function hasEveryMember(data: unknown, input: unknown): boolean {
  if (!isRecord(input) || !isRecord(data)) return true
  return Object.keys(input).every((key) => Object.hasOwn(data, key))
}
