import { type Field } from './field.ts'
import { FieldProblem } from './field-problem.ts'

/**
 * Puts fields with dots in their names into the objects they belong to: `address.street` and
 * `address.city` become one field `address`. An argument for the object itself, such as
 * `address:object:optional`, says whether it is optional or a list.
 *
 * @param fields the fields as they were typed, their names with dots
 * @returns the fields of the resource, each object where it was named first
 * @throws FieldProblem when a field is given twice, or what it belongs to is no object
 */
export function gatherObjects(fields: readonly Field[]): readonly Field[] {
  const gathered = new Map<string, Field>()
  for (const field of fields) place(gathered, field, '')
  return [...gathered.values()]
}

/**
 * Lists the arguments that a field came from.
 *
 * @param field a field of a resource
 * @returns its own argument, if it had one, and those of the fields in it
 */
export function toSources(field: Field): readonly string[] {
  const own = field.source === '' ? [] : [field.source]
  return field.type.kind === 'shape' ? [...own, ...field.type.fields.flatMap(toSources)] : own
}

function place(fields: Map<string, Field>, field: Field, prefix: string): void {
  const [name = '', ...rest] = field.name.split('.')
  const present = fields.get(name)
  if (rest.length === 0) {
    fields.set(name, present === undefined ? field : toDescribed(present, field, prefix + name))
    return
  }
  const parent = present ?? implied(name)
  if (parent.type.kind !== 'shape' && parent.type.kind !== 'object') {
    const reason = `"${prefix}${name}" is a field of type "${parent.type.kind}"`
    throw problem(field, `${reason}, so nothing can be in it`, prefix + name)
  }
  const members = new Map(membersOf(parent).map((member) => [member.name, member]))
  place(members, { ...field, name: rest.join('.') }, `${prefix}${name}.`)
  fields.set(name, { ...parent, type: { kind: 'shape', fields: [...members.values()] } })
}

// The object's own argument may stand behind those of its fields.
function toDescribed(present: Field, field: Field, path: string): Field {
  if (present.source !== '') throw problem(field, `field "${path}" is given twice`, path)
  if (field.type.kind !== 'object') {
    throw problem(field, `"${path}" has fields, so its type must be "object"`, path)
  }
  return { ...field, type: present.type }
}

function implied(name: string): Field {
  return {
    name,
    type: { kind: 'shape', fields: [] },
    array: false,
    required: true,
    unique: false,
    index: false,
    sparse: false,
    source: '',
  }
}

function membersOf({ type }: Field): readonly Field[] {
  return type.kind === 'shape' ? type.fields : []
}

function problem(field: Field, message: string, text: string): FieldProblem {
  return new FieldProblem(message, { argument: field.source, token: { text, start: 0 } })
}
