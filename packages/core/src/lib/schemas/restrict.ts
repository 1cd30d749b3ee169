import { type core, z, type ZodType } from 'zod'
import { type Access, type Rule, toRule } from '../access/access.ts'
import { type FieldRule, type Restriction, restrictions } from './schema-marks.ts'
import { toChildren } from './schema-members.ts'

/** Options for {@link restrict}: who may read and who may write the field. */
export interface FieldAccess {
  /**
   * Who may read it. Other callers do not receive it, and cannot filter, sort or search by it.
   * @default 'public', every caller who can read the document
   */
  readonly readable?: Access | undefined
  /**
   * Who may write it. For other callers it is an unknown field.
   * @default the same as `readable`
   */
  readonly writable?: Access | undefined
}

/**
 * Restricts a field to some callers: `salary: restrict(z.number(), { readable: role('hr') })`. It is declared
 * once, in the schema of the request body; `toOutputSchema`, `toPatchSchema`, `toReplacement`, `defineView` and
 * `defineListQuery` follow. The field becomes optional, because other callers neither send nor receive it. The
 * decision of a rule applies to every document, so a rule that returns a filter is an error.
 * @param schema - the schema of the field
 * @param access - who may read and write it: words and rules
 * @returns the schema of the restricted field
 * @throws TypeError when the access is `owner` or a rule of organizations, which are filters
 * @example
 * ```ts
 * export const createEmployee = z.strictObject({
 *   name: z.string(),
 *   salary: restrict(z.number(), { readable: role('admin') }),
 * })
 * ```
 */
export function restrict<S extends ZodType>(schema: S, access: FieldAccess): z.ZodOptional<S> {
  const { readable = 'public', writable = readable } = access
  return mark(z.optional(schema), {
    readable: toFieldRule(readable),
    writable: toFieldRule(writable),
  })
}

function toFieldRule(access: Access): Rule | undefined {
  if (access === 'owner') {
    throw new TypeError(
      "A field cannot be restricted to 'owner': that is a filter of documents. Use a role, or a rule that returns true or false.",
    )
  }
  if (access === 'public') return undefined
  const rule = toRule(access)
  if (rule.tenant) {
    throw new TypeError(
      `A field cannot be restricted to '${rule.name}': that is a filter of documents. Use a rule that reads req.tenant and returns true or false.`,
    )
  }
  return rule
}

function mark<S extends core.$ZodType>(schema: S, restriction: Restriction): S {
  return restrictions.set(schema, restriction)
}

// Marks a schema that was derived from that of a field. It is a new one, so that no other field is marked.
export function keepRestriction(field: core.$ZodType, derived: core.$ZodType): core.$ZodType {
  const restriction = toRestriction(field)
  return restriction ? mark(derived, restriction) : derived
}

// The names of the fields that the caller of a parsed body may write. A symbol, so that copies keep it.
export const grantedFields = Symbol('grantedFields')

// The restriction of a field, also if it has got a default or a description since.
export function toRestriction(field: core.$ZodType | undefined): Restriction | undefined {
  if (!field) return undefined
  const inner = unwrap(field)
  return restrictions.get(field) ?? toRestriction(inner)
}

function unwrap(schema: core.$ZodType): core.$ZodType | undefined {
  return schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodNonOptional
    ? schema.unwrap()
    : undefined
}

export type Use = keyof Restriction

// The rules of the fields of a value, at any depth; of `address.street` the field is named so.
export function findFieldRules(schema: core.$ZodType | undefined, use: Use): FieldRule[] {
  return schema ? walk(requireField(schema, ''), { use, path: '', above: new Set() }) : []
}

interface Walk {
  readonly use: Use
  readonly path: string
  /** The schemas that contain this one: a schema may contain itself. */
  readonly above: ReadonlySet<core.$ZodType>
}

function walk(schema: core.$ZodType, { use, path, above }: Walk): FieldRule[] {
  if (above.has(schema)) return []
  const below = { use, path, above: new Set([...above, schema]) }
  if (!(schema instanceof z.ZodObject)) {
    const inner = unwrap(schema)
    if (inner) return walk(inner, below)
    return toParts(schema).flatMap((part) => walk(requireField(part, path), below))
  }
  return Object.entries(schema.shape).flatMap(([key, member]) => {
    const field = path === '' ? key : `${path}.${key}`
    const rule = toRestriction(member)?.[use]
    return [...(rule ? [{ field, rule }] : []), ...walk(member, { ...below, path: field })]
  })
}

// Only a member of an object can be left out.
function requireField(schema: core.$ZodType, path: string): core.$ZodType {
  if (!toRestriction(schema)) return schema
  throw new TypeError(
    `A part of ${path === '' ? 'the schema' : `'${path}'`} is restricted, which is not a field of an object. Write restrict(schema, …) around the whole field.`,
  )
}

function toParts(schema: core.$ZodType): readonly core.$ZodType[] {
  return schema instanceof z.ZodPipe ? [schema.in, schema.out] : toChildren(schema, 'output')
}
