import { type Field, type ValueType } from './field.ts'
import { FieldProblem, scanField, type Token, unescapeColons } from './field-argument.ts'
import { type DefaultValue } from './field-type.ts'
import { toFieldType } from './field-types.ts'
import { isCostly } from './foreign-pattern.ts'
import { type Modifiers, parseModifiers } from './parse-modifiers.ts'
import { parseType } from './parse-type.ts'
import { requireFieldName } from './require-field-name.ts'

// Reads one field argument, such as `title:string`, `tags:array:string:max=5` or `address.city`.
// A dot in the name of the result means that the field is in an object. Throws a FieldProblem at
// the first wrong token.
export function parseField(argument: string): Field {
  const [name = { text: '', start: 0 }, ...tokens] = scanField(argument)
  requireFieldName(argument, name)
  const parsed = parseType(argument, tokens)
  const modifiers = parseModifiers(argument, parsed.rest)
  const { flags } = modifiers
  const declaration: Declaration = {
    argument,
    name,
    type: parsed.type,
    array: parsed.array || flags.has('array'),
    modifiers,
  }
  requireFlagsFit(declaration)
  const match = readMatch(declaration)
  const value = readDefault(declaration)
  return {
    name: name.text,
    type: declaration.type,
    array: declaration.array,
    required: isRequired(declaration, parsed.required, value),
    unique: flags.has('unique'),
    index: flags.has('index'),
    sparse: flags.has('sparse'),
    default: value,
    ...readBounds(declaration),
    match,
    source: argument,
  }
}

interface Declaration {
  readonly argument: string
  readonly name: Token
  readonly type: ValueType
  readonly array: boolean
  readonly modifiers: Modifiers
}

function isRequired(
  { array, modifiers: { flags, values } }: Declaration,
  suffix: boolean | undefined,
  value: DefaultValue | undefined,
): boolean {
  if (value !== undefined || flags.has('optional')) return false
  if (flags.has('required')) return true
  // The default of an array is the empty one, unless that is not allowed.
  return suffix ?? (!array || Number(values.get('min')?.text ?? 0) > 0)
}

function requireFlagsFit(declaration: Declaration): void {
  const { argument, array, modifiers, type } = declaration
  requireFitsObject(declaration)
  if (!array && !toFieldType(declaration.type.kind).schemaless) return
  for (const flag of ['unique', 'sparse', ...(array ? [] : ['index'])]) {
    const token = modifiers.flags.get(flag)
    if (token === undefined) continue
    const what = array ? 'an array' : `type "${type.kind}"`
    throw new FieldProblem(`"${flag}" does not work with ${what}`, { argument, token })
  }
}

// Only the resource's own fields are indexed, and checked as references.
function requireFitsObject({ argument, modifiers, name, type }: Declaration): void {
  if (!name.text.includes('.')) return
  if (type.kind === 'ref') {
    throw new FieldProblem('a field in an object cannot be a reference', {
      argument,
      token: name,
      hint: 'make it a field of the resource itself',
    })
  }
  for (const flag of ['unique', 'index', 'sparse']) {
    const token = modifiers.flags.get(flag)
    if (token === undefined) continue
    throw new FieldProblem(`"${flag}" does not work with a field in an object`, { argument, token })
  }
}

function readDefault(declaration: Declaration): DefaultValue | undefined {
  const { argument, array, modifiers, type } = declaration
  const token = modifiers.values.get('default')
  if (token === undefined) return undefined
  if (array) {
    throw new FieldProblem('the default of an array is always []', {
      argument,
      token,
      hint: 'remove "default"',
    })
  }
  const value = unescapeColons(token.text)
  if (type.kind === 'enum') {
    if (type.values.includes(value)) return value
    const hint = `one of ${type.values.join(', ')}`
    throw new FieldProblem(`"${value}" is not one of the enum's values`, { argument, token, hint })
  }
  const { default: rule } = toFieldType(declaration.type.kind)
  if (rule === undefined) {
    throw new FieldProblem(`type "${type.kind}" takes no default`, { argument, token })
  }
  const parsed = rule.parse(value)
  if (parsed !== undefined) return parsed
  throw new FieldProblem(`"${value}" is not a default for type "${type.kind}"`, {
    argument,
    token,
    hint: rule.hint,
  })
}

function readBounds(declaration: Declaration): Pick<Field, 'min' | 'max'> {
  const min = readBound(declaration, 'min')
  const max = readBound(declaration, 'max')
  const token = declaration.modifiers.values.get('max')
  if (min !== undefined && max !== undefined && token !== undefined && min > max) {
    const { argument } = declaration
    throw new FieldProblem(`max=${max} is below min=${min}`, { argument, token })
  }
  return { min, max }
}

function readBound(declaration: Declaration, name: 'min' | 'max'): number | undefined {
  const { argument, modifiers, type } = declaration
  const token = modifiers.values.get(name)
  if (token === undefined) return undefined
  const bounds = declaration.array ? 'length' : toFieldType(declaration.type.kind).bounds
  if (bounds === undefined) {
    throw new FieldProblem(`"${name}" does not work with type "${type.kind}"`, {
      argument,
      token,
      hint: 'it works with numbers, text and arrays',
    })
  }
  const value = /^-?\d+(\.\d+)?$/.test(token.text) ? Number(token.text) : Infinity
  const isValid =
    bounds === 'number' ? Math.abs(value) <= Number.MAX_SAFE_INTEGER : Number.isSafeInteger(value)
  if (!isValid) {
    const what = bounds === 'number' ? 'number' : 'whole number'
    throw new FieldProblem(`"${token.text}" is not a ${what}`, { argument, token })
  }
  if (bounds === 'length' && value < 0) {
    throw new FieldProblem('a length cannot be negative', { argument, token })
  }
  return value
}

function readMatch(declaration: Declaration): string | undefined {
  const { argument, modifiers } = declaration
  const token = modifiers.values.get('match')
  if (token === undefined) return undefined
  if (!toFieldType(declaration.type.kind).acceptsMatch) {
    throw new FieldProblem('"match" works with string and text only', { argument, token })
  }
  const source = toPattern(unescapeColons(token.text))
  if (source === undefined) {
    throw new FieldProblem('"match" is not a regular expression', { argument, token })
  }
  if (isCostly(source)) {
    throw new FieldProblem(
      '"match" takes so long for some short texts that a request could block the service: do not repeat what is repeated, as in ^(a+)+$',
      { argument, token },
    )
  }
  return source
}

// JSON Schema, and with it the OpenAPI document, reads patterns with this flag.
function toPattern(source: string): string | undefined {
  try {
    return new RegExp(source, 'u').source
  } catch {
    return undefined
  }
}
