import { core, z } from 'zod'
import { toChildren } from './schema-members.ts'

const converted = new WeakMap<core.$ZodType, core.$ZodType>()

// The schema of what a schema returns, which has no conversions: of each pipe and codec it is the second part.
export function toOutputSide(schema: core.$ZodType): core.$ZodType {
  let output = converted.get(schema)
  if (!output) {
    output = hasPipe(schema, new Set()) ? convert(schema, new Map()) : schema
    converted.set(schema, output)
  }
  return output
}

function hasPipe(schema: core.$ZodType, seen: Set<core.$ZodType>): boolean {
  if (schema instanceof z.ZodPipe) return true
  if (seen.has(schema)) return false
  seen.add(schema)
  return toChildren(schema, 'output').some((child) => hasPipe(child, seen))
}

type Known = Map<unknown, core.$ZodType>

// A schema may contain itself.
function convert(schema: core.$ZodType, known: Known): core.$ZodType {
  const found = known.get(schema)
  if (found) return found
  known.set(
    schema,
    z.lazy(() => known.get(schema) ?? schema),
  )
  const output = create(schema, known)
  known.set(schema, output)
  return output
}

function create(schema: core.$ZodType, known: Known): core.$ZodType {
  if (schema instanceof z.ZodPipe) return convert(schema.out, known)
  if (schema instanceof z.ZodLazy) return z.lazy(() => convert(schema.unwrap(), known))
  const { _zod } = schema
  const parts = Object.entries(_zod.def).map(([key, part]) => [key, convertPart(part, known)])
  const shape = schema instanceof z.ZodObject && { shape: convertAll(schema.shape, known) }
  return core.clone(schema, { ..._zod.def, ...Object.fromEntries(parts), ...shape })
}

function convertPart(part: unknown, known: Known): unknown {
  if (part instanceof core.$ZodType) return convert(part, known)
  return Array.isArray(part) ? part.map((one: unknown) => convertPart(one, known)) : part
}

function convertAll(shape: core.$ZodShape, known: Known): core.$ZodShape {
  return Object.fromEntries(
    Object.entries(shape).map(([key, member]) => [key, convert(member, known)]),
  )
}
