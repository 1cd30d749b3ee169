import { type core, z } from 'zod'
import { type Side, toChildren, toInner, toMembers } from './schema-members.ts'

// How to replace the types that JSON does not have, by their names in Zod.
const fixes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    map: 'Use z.record(), or an array of entries.',
    set: 'Use z.array().',
    symbol: 'Use z.string() or z.enum().',
    nan: 'Use z.number().',
    file: 'Use multipart().',
    promise: 'Use the schema of its value.',
    function: 'Remove it.',
  }),
)

// Throws TypeError if a value of the schema cannot be sent as JSON. `name` is that of the body or response.
export function requireJson(schema: core.$ZodType, side: Side, name: string): void {
  const isRefused = (one: core.$ZodType): boolean =>
    fixes.has(toTypeName(one)) || (side === 'output' && one instanceof z.ZodTransform)
  const type = findType(schema, isRefused, side)
  if (type === undefined) return
  if (type === 'transform') {
    throw new TypeError(
      `${name} contains a transform, whose result no schema describes. Describe it: .transform(…).pipe(z.string()), or use .overwrite(…), which keeps the type.`,
    )
  }
  throw new TypeError(`${name} contains z.${type}(), which JSON cannot contain. ${fixes.get(type)}`)
}

// Throws TypeError if text cannot satisfy one of the parameters or fields. `name` is that of all of them.
export function requireText(schema: core.$ZodType, name: string): void {
  for (const [key, member] of toMembers(schema, 'input') ?? []) {
    const type = findNested(member.schema)
    if (type === undefined) continue
    throw new TypeError(
      `'${key}' of ${name} is z.${type}(), which text cannot contain. Use one parameter for each value, z.array() of them, or JSON text: z.string().transform(…).`,
    )
  }
}

const nested: ReadonlySet<string> = new Set(['object', 'record', 'tuple', ...fixes.keys()])

// The type that no text satisfies, if it is the only way to satisfy the schema.
function findNested(schema: core.$ZodType): string | undefined {
  const type = toTypeName(schema)
  if (nested.has(type)) return type
  if (schema instanceof z.ZodArray)
    return isList(schema.element) ? type : findNested(schema.element)
  if (schema instanceof z.ZodUnion) {
    const types = schema.options.map(findNested)
    return types.includes(undefined) ? undefined : types[0]
  }
  const inner = toInner(schema, 'input')
  return inner && findNested(inner)
}

// The names of the parameters that may be repeated.
export function findLists(schema: core.$ZodType): ReadonlySet<string> {
  const members = Array.from(toMembers(schema, 'input') ?? [])
  return new Set(members.filter(([, member]) => isList(member.schema)).map(([key]) => key))
}

function isList(schema: core.$ZodType): boolean {
  if (schema instanceof z.ZodArray) return true
  if (schema instanceof z.ZodUnion) return schema.options.some(isList)
  const inner = toInner(schema, 'input')
  return inner !== undefined && isList(inner)
}

function toTypeName({ _zod }: core.$ZodType): string {
  return _zod.def.type
}

function findType(
  schema: core.$ZodType,
  isRefused: (schema: core.$ZodType) => boolean,
  side: Side,
  seen = new Set<core.$ZodType>(),
): string | undefined {
  if (seen.has(schema)) return undefined
  seen.add(schema)
  if (isRefused(schema)) return toTypeName(schema)
  for (const child of toChildren(schema, side)) {
    const type = findType(child, isRefused, side, seen)
    if (type !== undefined) return type
  }
  return undefined
}
