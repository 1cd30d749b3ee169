import {
  type Arbitrary,
  array,
  constant,
  constantFrom,
  jsonValue,
  nat,
  oneof,
  tuple,
} from 'fast-check'
import { isJsonObject, type JsonObject } from '../../src/lib/openapi/schema-components.ts'
import { around, numbers } from './numbers.ts'
import { mutated, texts } from './texts.ts'

/** What the values of a schema are drawn from. */
export interface Source {
  /** Follows a `$ref`. */
  readonly resolve: (schema: JsonObject) => JsonObject
  /** A value that the document accepts. */
  readonly toValid: (schema: JsonObject) => unknown
}

const drawn = new WeakMap<JsonObject, Arbitrary<unknown>>()

/** Values near the edges of a schema, on both sides, and of other types. */
export function nearEdges(schema: JsonObject, source: Source): Arbitrary<unknown> {
  const known = drawn.get(schema)
  if (known) return known
  // Created when a value is drawn: a schema may contain itself.
  let created: Arbitrary<unknown> | undefined
  const arbitrary = constant(schema).chain(
    () => (created ??= toArbitrary(source.resolve(schema), source)),
  )
  drawn.set(schema, arbitrary)
  return arbitrary
}

function toArbitrary(resolved: JsonObject, source: Source): Arbitrary<unknown> {
  const { allOf, anyOf, const: fixed, enum: values, oneOf, prefixItems, type } = resolved
  const own: Arbitrary<unknown>[] = []
  if (fixed !== undefined) own.push(constant(fixed))
  if (Array.isArray(values))
    own.push(oneof(constantFrom(...values), mutated(constantFrom(...values.map(String)))))
  for (const option of [anyOf, allOf, oneOf].flat().filter(isJsonObject))
    own.push(nearEdges(option, source))
  const types = [type].flat()
  if (types.includes('object')) own.push(objects(resolved, source))
  if (types.includes('array'))
    own.push(Array.isArray(prefixItems) ? tuples(resolved, source) : arrays(resolved, source))
  if (types.includes('string')) own.push(texts(resolved), texts(resolved))
  if (types.includes('integer') || types.includes('number'))
    own.push(numbers(resolved), numbers(resolved))
  if (types.includes('boolean')) own.push(constantFrom(true, false))
  if (own.length === 0) own.push(anything, texts({}), numbers({}))
  return oneof(
    // The deepest values are drawn from the first.
    { maxDepth: 12, depthIdentifier: 'schema' },
    { arbitrary: anything, weight: 1 },
    ...own.map((arbitrary) => ({ arbitrary, weight: 8 })),
  )
}

const anything = oneof(
  constantFrom<unknown>(
    null,
    true,
    'true',
    0,
    '',
    '0',
    ' ',
    [],
    {},
    [null],
    [[]],
    { $ne: 1 },
    { '': 1 },
  ),
  jsonValue({ maxDepth: 3 }),
)

const strangeNames = [
  'nope',
  '__proto__',
  'constructor',
  'toString',
  '$set',
  'a.b',
  '_id',
  'id',
  '',
  'owner',
]

function objects(schema: JsonObject, source: Source): Arbitrary<unknown> {
  const { properties } = schema
  if (!isJsonObject(properties)) return records(schema, source)
  const required = [schema['required']].flat()
  const names = Object.keys(properties)
  const change = constantFrom(...names, undefined).chain((name): Arbitrary<Change> => {
    if (name === undefined)
      return tuple(
        constantFrom(...strangeNames, ...names.map((key) => key.toUpperCase())),
        anything,
      )
    const member = toObject(properties[name])
    return tuple(
      constant(name),
      oneof({ arbitrary: nearEdges(member, source), weight: 9 }, constant(undefined)),
    )
  })
  return tuple(constantFrom(...names), array(change, { minLength: 1, maxLength: 2 })).map(
    ([included, changes]) => {
      const entries = names
        .filter((name) => required.includes(name) || name === included)
        .map((name): Change => [name, source.toValid(toObject(properties[name]))])
      // Own properties, as JSON.parse creates them: also `__proto__`.
      const members = new Map([...entries, ...changes].filter(([, value]) => value !== undefined))
      for (const [name, value] of changes) if (value === undefined) members.delete(name)
      return fromEntries([...members])
    },
  )
}

type Change = [name: string, value: unknown]

function fromEntries(entries: readonly Change[]): unknown {
  return JSON.parse(
    `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`,
  )
}

function records(
  { additionalProperties, propertyNames }: JsonObject,
  source: Source,
): Arbitrary<unknown> {
  const names = oneof(
    constantFrom(...strangeNames),
    texts(isJsonObject(propertyNames) ? propertyNames : { maxLength: 200 }),
  )
  const values = isJsonObject(additionalProperties)
    ? nearEdges(additionalProperties, source)
    : anything
  return array(tuple(names, values), { maxLength: 3 }).map((entries) => fromEntries(entries))
}

function arrays({ items, minItems, maxItems }: JsonObject, source: Source): Arbitrary<unknown> {
  const item = toObject(items)
  const lengths = [0, 1, ...around(minItems), ...around(maxItems)].filter(
    (length) => length >= 0 && length < 200,
  )
  const alike = constantFrom(...lengths).map((length) =>
    Array.from({ length }, () => source.toValid(item)),
  )
  const edged = tuple(alike, nearEdges(item, source), nat()).map(([list, value, at]) =>
    list.length === 0 ? [value] : list.with(at % list.length, value),
  )
  return oneof(
    alike,
    edged,
    edged,
    anything.map((value) => [value]),
  )
}

function tuples({ items, prefixItems }: JsonObject, source: Source): Arbitrary<unknown> {
  const members = [prefixItems, items].flat().filter(isJsonObject)
  const valid = members.map((member) => source.toValid(member))
  return tuple(nat(), oneof(...members.map((member) => nearEdges(member, source)))).chain(
    ([at, value]) =>
      constantFrom<unknown>(
        valid,
        valid.slice(0, at % (valid.length + 1)),
        [...valid, value],
        valid.with(at % valid.length, value),
      ),
  )
}

function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
