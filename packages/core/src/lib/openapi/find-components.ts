import { type core, z } from 'zod'
import { type Side, toChildren, toMembers } from '../schemas/schema-members.ts'
import { toPascal, toSingular } from './names.ts'

// Finds the schemas inside a schema that become components, and proposes a name for each: those with an id, and those
// that contain themselves, which only a reference can describe. Without an id, the name is that of the schema around
// it with the name of its member, such as `ArticleComment`.
export function findComponents(
  schema: core.$ZodType,
  side: Side,
  name: string,
): ReadonlyMap<core.$ZodType, string> {
  const found = new Map<core.$ZodType, string>()
  const names = new Map<core.$ZodType, string>()
  visit(schema, name, new Set())
  return found

  function visit(at: core.$ZodType, wanted: string, parents: Set<core.$ZodType>): void {
    const id = z.globalRegistry.get(at)?.id
    if (parents.has(at)) found.set(at, id ?? names.get(at) ?? wanted)
    if (names.has(at)) return
    names.set(at, wanted)
    if (id !== undefined && at !== schema) found.set(at, id)
    const below = new Set(parents).add(at)
    for (const [part, partName] of listParts(at, side, wanted)) visit(part, partName, below)
  }
}

function listParts(
  schema: core.$ZodType,
  side: Side,
  name: string,
): readonly (readonly [schema: core.$ZodType, name: string])[] {
  if (!(schema instanceof z.ZodObject)) {
    return toChildren(schema, side).map((child) => [child, name])
  }
  const members = Array.from(
    toMembers(schema, side) ?? [],
    ([key, member]) => [member.schema, name + toPascal(toSingular(key))] as const,
  )
  const { catchall } = schema.def
  return catchall ? [...members, [catchall, name]] : members
}
