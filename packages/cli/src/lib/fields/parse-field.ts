import { type DefaultValue, type Field, isNumeric, isTextual, type ValueType } from './field.ts'
import { FieldProblem, type Token } from './field-problem.ts'
import { parseDefault } from './parse-default.ts'
import { type Modifiers, parseModifiers } from './parse-modifiers.ts'
import { parseType } from './parse-type.ts'
import { requireFieldName } from './require-field-name.ts'
import { scanField, unescapeColons } from './scan-field.ts'

/**
 * Reads one field argument, such as `title:string`, `tags:array:string:max=5` or `address.city`.
 *
 * @param argument the argument as typed
 * @returns the field; a dot in its name says that it is in an object
 * @throws FieldProblem at the first token that is wrong
 */
export function parseField(argument: string): Field {
  const [name = { text: '', start: 0 }, ...tokens] = scanField(argument)
  requireFieldName(argument, name)
  const parsed = parseType(argument, tokens)
  const modifiers = parseModifiers(argument, parsed.rest)
  const shape: Shape = {
    argument,
    name,
    type: parsed.type,
    array: parsed.array || modifiers.flags.has('array'),
    modifiers,
  }
  requireFitting(shape)
  const value = readDefault(shape)
  return {
    name: name.text,
    type: shape.type,
    array: shape.array,
    required: isRequired(shape, parsed.required, value),
    unique: modifiers.flags.has('unique'),
    index: modifiers.flags.has('index'),
    sparse: modifiers.flags.has('sparse'),
    default: value,
    ...readBounds(shape),
    match: readMatch(shape),
    source: argument,
  }
}

interface Shape {
  readonly argument: string
  readonly name: Token
  readonly type: ValueType
  readonly array: boolean
  readonly modifiers: Modifiers
}

function isRequired(
  shape: Shape,
  suffix: boolean | undefined,
  value: DefaultValue | undefined,
): boolean {
  if (value !== undefined || shape.modifiers.flags.has('optional')) return false
  if (shape.modifiers.flags.has('required')) return true
  // An array has a default, the empty one, unless it may not be empty.
  const minimum = Number(shape.modifiers.values.get('min')?.text ?? 0)
  return suffix ?? (!shape.array || minimum > 0)
}

function requireFitting(shape: Shape): void {
  const { argument, modifiers, type } = shape
  refuseInObject(shape)
  const unindexable = shape.array || type.kind === 'object' || type.kind === 'any'
  for (const flag of ['unique', 'sparse', ...(shape.array ? [] : ['index'])]) {
    const token = modifiers.flags.get(flag)
    if (token !== undefined && unindexable) {
      const what = shape.array ? 'an array' : `type "${type.kind}"`
      throw new FieldProblem(`"${flag}" does not work with ${what}`, { argument, token })
    }
  }
  const match = modifiers.values.get('match')
  if (match !== undefined && type.kind !== 'string' && type.kind !== 'text') {
    throw new FieldProblem('"match" works with string and text only', { argument, token: match })
  }
}

// An index, and the check of a reference, are of the resource's own fields.
function refuseInObject({ argument, modifiers, name, type }: Shape): void {
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

function readDefault(shape: Shape): DefaultValue | undefined {
  const token = shape.modifiers.values.get('default')
  if (token === undefined) return undefined
  if (shape.array) {
    throw new FieldProblem('the default of an array is always []', {
      argument: shape.argument,
      token,
      hint: 'leave "default" out',
    })
  }
  return parseDefault(shape.argument, token, shape.type)
}

function readBounds(shape: Shape): Pick<Field, 'min' | 'max'> {
  const min = readBound(shape, 'min')
  const max = readBound(shape, 'max')
  const token = shape.modifiers.values.get('max')
  if (min !== undefined && max !== undefined && token !== undefined && min > max) {
    throw new FieldProblem(`max=${max} is below min=${min}`, { argument: shape.argument, token })
  }
  return { min, max }
}

function readBound(shape: Shape, name: 'min' | 'max'): number | undefined {
  const { argument, type } = shape
  const token = shape.modifiers.values.get(name)
  if (token === undefined) return undefined
  const length = shape.array || isTextual(type.kind)
  if (!length && !isNumeric(type.kind)) {
    throw new FieldProblem(`"${name}" does not work with type "${type.kind}"`, {
      argument,
      token,
      hint: 'it works with numbers, texts and arrays',
    })
  }
  const whole = length || type.kind === 'int'
  const value = readNumber(argument, token, whole)
  if (length && value < 0) {
    throw new FieldProblem('a length cannot be negative', { argument, token })
  }
  return value
}

function readNumber(argument: string, token: Token, whole: boolean): number {
  const value = /^-?\d+(\.\d+)?$/.test(token.text) ? Number(token.text) : Number.NaN
  const valid = whole ? Number.isSafeInteger(value) : Math.abs(value) <= Number.MAX_SAFE_INTEGER
  if (!valid) {
    const message = `"${token.text}" is not a ${whole ? 'whole number' : 'number'}`
    throw new FieldProblem(message, { argument, token })
  }
  return value
}

function readMatch(shape: Shape): string | undefined {
  const token = shape.modifiers.values.get('match')
  if (token === undefined) return undefined
  const source = unescapeColons(token.text)
  try {
    return new RegExp(source).source
  } catch {
    const hint = source === '' ? 'it is empty' : undefined
    throw new FieldProblem('"match" is not a regular expression', {
      argument: shape.argument,
      token,
      hint,
    })
  }
}
