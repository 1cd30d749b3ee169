import {
  type Arbitrary,
  array,
  boolean,
  constant,
  constantFrom,
  date,
  double,
  emailAddress,
  integer,
  jsonValue,
  oneof,
  record,
  string,
  stringMatching,
  tuple,
  uuid,
  webUrl,
} from 'fast-check'

export type Json = Record<string, unknown>

/** Looks up what a `$ref` of the document refers to. */
export type Resolve = (schema: Json) => Json

/** Values that fit a schema, its bounds among them. */
export function toValid(schema: Json, resolve: Resolve): Arbitrary<unknown> {
  const resolved = resolve(schema)
  const { const: fixed, enum: values, anyOf, type } = resolved
  if (fixed !== undefined) return constant(fixed)
  if (Array.isArray(values)) return constantFrom(...values)
  if (Array.isArray(anyOf)) return oneof(...anyOf.map((option) => toValid(option, resolve)))
  if (Array.isArray(type)) {
    return oneof(...type.map((one) => toValid({ ...resolved, type: one }, resolve)))
  }
  switch (type) {
    case 'object':
      return toObject(resolved, resolve)
    case 'array':
      return toArray(resolved, resolve)
    case 'string':
      return toText(resolved)
    case 'integer':
      return toInteger(resolved)
    case 'number':
      return toNumber(resolved)
    case 'boolean':
      return boolean()
    case 'null':
      return constant(null)
    default:
      // Names that begin with a dollar sign are rejected.
      return jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('"$'))
  }
}

/** Values that do not fit a schema, each by one fault; none for a schema that takes anything. */
export function toInvalid(schema: Json, resolve: Resolve): Arbitrary<unknown> | undefined {
  const resolved = resolve(schema)
  if (resolved['type'] === 'object' && resolved['properties']) {
    return toInvalidObject(resolved, resolve)
  }
  const wrong = [null, true, 1.5, 'x\u0000nope', [], {}, { $ne: null }, [['a']]].filter(
    (value) => !isOfType(value, resolved),
  )
  const beyond = toBeyond(resolved)
  return wrong.length === 0 ? undefined : constantFrom<unknown>(...wrong, ...beyond)
}

function toObject({ properties = {}, required = [] }: Json, resolve: Resolve): Arbitrary<unknown> {
  const values = Object.entries(Object(properties)).map(([key, property]) => [
    key,
    toValid(Object(property), resolve),
  ])
  const requiredKeys = Array.isArray(required) ? required.map(String) : []
  return record(Object.fromEntries(values), {
    requiredKeys: requiredKeys as never[],
    noNullPrototype: true,
  })
}

function toArray({ items = {}, minItems = 0, maxItems = 10 }: Json, resolve: Resolve) {
  const max = Math.min(Number(maxItems), 10)
  return array(toValid(Object(items), resolve), { minLength: Number(minItems), maxLength: max })
}

function toText({ format, pattern, minLength = 0, maxLength = 300 }: Json): Arbitrary<string> {
  if (format === 'date-time') return toDateTime()
  if (format === 'email') return emailAddress().filter((text) => matches(text, pattern))
  if (format === 'uuid') return uuid()
  if (format === 'uri') return webUrl()
  // A pattern that words match leaves room for other texts.
  if (typeof pattern === 'string' && !matches('text', pattern)) {
    return stringMatching(new RegExp(pattern, 'u'))
  }
  const bounds = { minLength: Number(minLength), maxLength: Math.min(Number(maxLength), 300) }
  return oneof(
    string({ ...bounds, unit: 'grapheme' }).filter((text) => fits(text, bounds)),
    constant('x'.repeat(Number(minLength))),
    constant('x'.repeat(Number(maxLength))),
    constant('\u{1F600}'.repeat(bounds.maxLength)),
    constantFrom('$ne', '{"$gt":""}', '<b>', '../..', "' or 1=1 --", '__proto__'),
  ).filter((text) => matches(text, pattern))
}

function matches(text: string, pattern: unknown): boolean {
  return typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text)
}

// In characters, not in UTF-16 units; the service may trim what it is given.
function fits(text: string, { minLength, maxLength }: { minLength: number; maxLength: number }) {
  return Array.from(text.trim()).length >= minLength && Array.from(text).length <= maxLength
}

function toDateTime(): Arbitrary<string> {
  const bounds = { min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }
  return date(bounds).map((at) => at.toISOString())
}

function toInteger({ minimum = -(2 ** 31), maximum = 2 ** 31 }: Json): Arbitrary<number> {
  const bounds = { min: Number(minimum), max: Number(maximum) }
  return oneof(integer(bounds), constantFrom(bounds.min, bounds.max))
}

function toNumber({ minimum = -1e9, maximum = 1e9 }: Json): Arbitrary<number> {
  const bounds = { min: Number(minimum), max: Number(maximum) }
  return double({ ...bounds, noNaN: true }).map((value) => (value === 0 ? 0 : value))
}

function toInvalidObject(schema: Json, resolve: Resolve): Arbitrary<unknown> {
  const properties: [string, Json][] = Object.entries(Object(schema['properties']))
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
  const valid = toValid(schema, resolve).map((value): Json => Object(value))
  const faults: Arbitrary<unknown>[] = [
    constantFrom<unknown>(null, [], 'text', 7, true),
    tuple(valid, constantFrom('nope', '$set', '__proto__', 'a.b', '_id', 'owner')).map(
      ([value, key]) =>
        JSON.parse(
          `{${JSON.stringify(value).slice(1, -1)}${Object.keys(value).length ? ',' : ''}"${key}":1}`,
        ),
    ),
  ]
  if (required.length > 0) {
    faults.push(
      tuple(valid, constantFrom(...required)).map(([value, key]) => {
        const { [key]: _, ...rest } = value
        return rest
      }),
    )
  }
  for (const [key, property] of properties) {
    const wrong = toInvalid(property, resolve)
    if (wrong) faults.push(tuple(valid, wrong).map(([value, bad]) => ({ ...value, [key]: bad })))
  }
  return oneof(...faults)
}

function isOfType(value: unknown, { type, enum: values, anyOf, const: fixed }: Json): boolean {
  if (fixed !== undefined || Array.isArray(values)) return false
  if (Array.isArray(anyOf)) return anyOf.some((option) => isOfType(value, Object(option)))
  if (Array.isArray(type)) return type.some((one) => isOfType(value, { type: one }))
  if (type === undefined) return true
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'number') return typeof value === 'number'
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  // A text of any kind is left to the values beyond the bounds.
  return typeof value === type
}

function toBeyond({
  maxLength,
  minLength,
  minimum,
  maximum,
  maxItems,
  format,
  enum: values,
}: Json) {
  const beyond: unknown[] = []
  if (Array.isArray(values)) beyond.push('nope', '')
  if (format !== undefined) beyond.push('nope', '')
  if (typeof maxLength === 'number') beyond.push('x'.repeat(maxLength + 1))
  if (typeof minLength === 'number' && minLength > 0) beyond.push('')
  if (typeof minimum === 'number') beyond.push(minimum - 1)
  if (typeof maximum === 'number') beyond.push(maximum + 1)
  if (typeof maxItems === 'number') beyond.push(Array.from({ length: maxItems + 1 }, () => 'x'))
  return beyond.filter((value) => typeof value !== 'number' || Number.isSafeInteger(value))
}
