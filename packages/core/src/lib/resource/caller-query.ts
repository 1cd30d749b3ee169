import { type core, type ZodType } from 'zod'
import { type Rule } from '../access/access.ts'
import { toRestriction } from '../schemas/restrict.ts'
import { callerQueries, type FieldRule } from '../schemas/schema-marks.ts'
import { toItem, toMembers, toPresent } from '../schemas/schema-members.ts'

/** Whether the caller of a query may not read a field; a path such as `address.street` is one, too. */
export type IsHidden = (field: string) => boolean

// Registers a query whose parameters depend on the restricted fields of an output. `create` makes the query of
// a caller.
export function registerCallerQuery(
  query: ZodType,
  shape: core.$ZodShape,
  { fields, create }: { fields: readonly string[]; create: (isHidden: IsHidden) => ZodType },
): void {
  const rules = [...new Set(fields)].flatMap((field) => findRules(shape, field))
  if (rules.length === 0) return
  callerQueries.set(query, {
    rules,
    without: (refused: ReadonlySet<Rule>) =>
      create((field) => findRules(shape, field).some(({ rule }) => refused.has(rule))),
  })
}

// The rules for reading a field and the objects that contain it.
function findRules(shape: core.$ZodShape, field: string): FieldRule[] {
  const rules: FieldRule[] = []
  let members: core.$ZodShape = shape
  for (const name of field.split('.')) {
    const member = members[name]
    if (!member) break
    const rule = toRestriction(member)?.readable
    if (rule) rules.push({ field, rule })
    members = toShape(member)
  }
  return rules
}

function toShape(schema: core.$ZodType): core.$ZodShape {
  const item = toItem(toPresent(schema))
  const members = toMembers(schema) ?? (item && toMembers(item)) ?? []
  return Object.fromEntries(Array.from(members, ([name, member]) => [name, member.schema]))
}
