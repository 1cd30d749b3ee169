import { type core, z } from 'zod'
import { toMembers, toPresent } from '../schemas/schema-members.ts'

type Path = readonly string[]

// The columns of a table of documents: the paths of their values. An object is a column for each of its members, unless it may
// have others or contain itself.
export function toColumns(
  item: core.$ZodType,
  isIncluded: (field: string) => boolean,
): readonly Path[] {
  return listColumns(item, { path: [], above: new Set(), isIncluded })
}

interface Walk {
  readonly path: Path
  readonly above: ReadonlySet<core.$ZodType>
  readonly isIncluded: (field: string) => boolean
}

function listColumns(schema: core.$ZodType, { path, above, isIncluded }: Walk): readonly Path[] {
  const present = toPresent(schema)
  const members =
    path.length > 0 && (above.has(present) || isOpen(present)) ? undefined : toMembers(present)
  if (!members) return [path]
  const below = { isIncluded, above: new Set([...above, present]) }
  return Array.from(members, ([name, member]) => ({ member, path: [...path, name] }))
    .filter((column) => isIncluded(column.path.join('.')))
    .flatMap((column) => listColumns(column.member.schema, { ...below, path: column.path }))
}

function isOpen(schema: core.$ZodType): boolean {
  return (
    schema instanceof z.ZodObject &&
    schema.def.catchall !== undefined &&
    !(schema.def.catchall instanceof z.ZodNever)
  )
}

export function toCells(columns: readonly Path[], item: unknown): readonly unknown[] {
  return columns.map((path) => path.reduce<unknown>(readMember, item))
}

function readMember(value: unknown, name: string): unknown {
  return Object.hasOwn(Object(value), name) ? Object(value)[name] : undefined
}
