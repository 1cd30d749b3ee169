import { type Field } from './field.ts'
import { FieldProblem } from './field-argument.ts'

// Moves fields with dots in their names into their objects: `address.street` and `address.city`
// become one field `address`, where the first of them was. An argument for the object itself, such
// as `address:object:optional`, makes it optional or a list.
export function gatherObjects(fields: readonly Field[]): readonly Field[] {
  const gathered = new Map<string, Field>()
  for (const field of fields) place(gathered, field, '')
  return [...gathered.values()]
}

// The arguments a field came from, those of its members included.
export function toSources(field: Field): readonly string[] {
  const own = field.source === '' ? [] : [field.source]
  return field.type.kind === 'shape' ? [...own, ...field.type.fields.flatMap(toSources)] : own
}

function place(fields: Map<string, Field>, field: Field, prefix: string): void {
  const [name = '', ...rest] = field.name.split('.')
  const present = fields.get(name)
  if (rest.length === 0) {
    fields.set(name, present === undefined ? field : describeObject(present, field, prefix + name))
    return
  }
  const parent = present ?? impliedObject(name)
  if (parent.type.kind !== 'shape' && parent.type.kind !== 'object') {
    const reason = `"${prefix}${name}" is a field of type "${parent.type.kind}"`
    throw problem(field, `${reason}, so it cannot contain fields`, prefix + name)
  }
  const members = new Map(membersOf(parent).map((member) => [member.name, member]))
  place(members, { ...field, name: rest.join('.') }, `${prefix}${name}.`)
  fields.set(name, { ...parent, type: { kind: 'shape', fields: [...members.values()] } })
}

// The object's own argument may come after those of its fields.
function describeObject(present: Field, field: Field, path: string): Field {
  if (present.source !== '') throw problem(field, `field "${path}" is repeated`, path)
  if (field.type.kind !== 'object') {
    throw problem(field, `"${path}" has fields, so its type must be "object"`, path)
  }
  return { ...field, type: present.type }
}

function impliedObject(name: string): Field {
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
