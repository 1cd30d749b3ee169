import { type core, z } from 'zod'
import { numberText, wholeNumberText } from '../json/number-text.ts'
import { isRecord } from '../json/plain.ts'
import { isDecimal } from './decimal-text.ts'
import { instant } from './instant.ts'
import { toChildren, toChooser, toInner, toMembers } from './schema-members.ts'

// Converts the value that a client sends to the one that a schema validates. What cannot be converted is
// kept, so that validation rejects it. `twin` is the same value in another form.
export type Decoder = (value: unknown, twin?: unknown) => unknown

// The form of the values that a client sends.
interface Source {
  /** The decoder of a value without parts; undefined if it needs none. */
  readonly toLeaf: (schema: core.$ZodType) => Decoder | undefined
  /** Whether one value is a list of one item. */
  readonly hasSingleItems: boolean
}

const fromJson: Source = { toLeaf: toJsonLeaf, hasSingleItems: false }
const fromText: Source = { toLeaf: toTextLeaf, hasSingleItems: true }
const fromLongNumbers: Source = { toLeaf: toDecimalLeaf, hasSingleItems: false }

const jsonDecoders = new WeakMap<core.$ZodType, { readonly decode: Decoder | undefined }>()

// JSON has neither dates nor integers of any size: they are text. Undefined for a schema without them.
export function toJsonDecoder(schema: core.$ZodType): Decoder | undefined {
  const known = jsonDecoders.get(schema)
  if (known) return known.decode
  const decode = toDecoder(schema, fromJson)
  jsonDecoders.set(schema, { decode })
  return decode
}

// The parameters of a path or a query and the fields of a form are text: numbers are written as in JSON,
// booleans `true` and `false`. Undefined for a schema of text.
export function toTextDecoder(schema: core.$ZodType): Decoder | undefined {
  if (schema instanceof z.ZodUnion) {
    return toAlternativesDecoder(
      new Map(schema.options.map((option) => [option, toTextDecoder(option) ?? keep])),
    )
  }
  const members = toMembers(schema, 'input')
  if (!members) return toDecoder(schema, fromText)
  return toMembersDecoder(
    Array.from(members, ([key, member]) => [key, toDecoder(member.schema, fromText)]),
  )
}

// Rejects the numbers of decimals that a double may not hold; in the twin of the body they are text. Undefined
// for a schema without decimals.
export function toDecimalDecoder(schema: core.$ZodType): Decoder | undefined {
  return toDecoder(schema, fromLongNumbers)
}

function toDecimalLeaf(schema: core.$ZodType): Decoder | undefined {
  return isDecimal(schema) ? rejectLongNumber : undefined
}

const rejectLongNumber: Decoder = (value, twin) =>
  typeof value === 'number' && typeof twin === 'string' ? Number.NaN : value

function toJsonLeaf(schema: core.$ZodType): Decoder | undefined {
  if (schema instanceof z.ZodDate) return schema.def.coerce ? undefined : decodeDate
  if (schema instanceof z.ZodBigInt) return schema.def.coerce ? undefined : decodeBigInt
  if (schema instanceof z.ZodLiteral) return toConstantDecoder([...schema.values].filter(isBigInt))
  return undefined
}

function toTextLeaf(schema: core.$ZodType): Decoder | undefined {
  if (schema instanceof z.ZodNumber) {
    if (schema.def.coerce) return undefined
    return schema.format?.includes('int') ? decodeInteger : decodeNumber
  }
  if (schema instanceof z.ZodBoolean) return schema.def.coerce ? undefined : decodeBoolean
  if (schema instanceof z.ZodLiteral) return toConstantDecoder([...schema.values])
  if (schema instanceof z.ZodEnum) return toConstantDecoder(schema.options)
  return toJsonLeaf(schema)
}

function isBigInt(value: unknown): value is bigint {
  return typeof value === 'bigint'
}

const decodeDate = ifText(
  (text) => instant.safeParse(text).success,
  (text) => new Date(text),
)
const decodeBigInt = ifText(
  (text) => wholeNumberText.test(text),
  (text) => BigInt(text),
)
const decodeInteger = ifText((text) => wholeNumberText.test(text), Number)
const decodeNumber = ifText((text) => numberText.test(text), Number)
const decodeBoolean = toConstantDecoder([true, false])

function ifText(matches: (text: string) => boolean, convert: (text: string) => unknown): Decoder {
  return (value) => (typeof value === 'string' && matches(value) ? convert(value) : value)
}

// A text that is a constant itself stays text.
function toConstantDecoder(constants: readonly unknown[]): Decoder | undefined {
  const others = constants.filter((one) => !constants.includes(String(one)))
  if (others.length === 0) return undefined
  const byText = new Map<unknown, unknown>(others.map((one) => [String(one), one]))
  return (value) => (byText.has(value) ? byText.get(value) : value)
}

const keep: Decoder = (value) => value

function toDecoder(schema: core.$ZodType, source: Source): Decoder | undefined {
  return isDecoded(schema, source, new Set()) ? combine(schema, source, new Map()) : undefined
}

// Whether a schema contains a value to decode. It may contain itself.
function isDecoded(schema: core.$ZodType, source: Source, seen: Set<core.$ZodType>): boolean {
  if (seen.has(schema)) return false
  seen.add(schema)
  return (
    source.toLeaf(schema) !== undefined ||
    (source.hasSingleItems && schema instanceof z.ZodArray) ||
    toChildren(schema, 'input').some((child) => isDecoded(child, source, seen))
  )
}

type Combined = Map<core.$ZodType, Decoder>

function combine(schema: core.$ZodType, source: Source, combined: Combined): Decoder {
  const known = combined.get(schema)
  if (known) return known
  combined.set(schema, (value, twin) => combined.get(schema)?.(value, twin))
  const below = (child: core.$ZodType): Decoder => combine(child, source, combined)
  const decode = source.toLeaf(schema) ?? toContainerDecoder(schema, source, below) ?? keep
  combined.set(schema, decode)
  return decode
}

type Below = (schema: core.$ZodType) => Decoder

function toContainerDecoder(
  schema: core.$ZodType,
  { hasSingleItems }: Source,
  below: Below,
): Decoder | undefined {
  if (schema instanceof z.ZodObject) {
    const { catchall, shape } = schema.def
    const members = Object.entries(shape).map(([key, member]) => [key, below(member)] as const)
    return toMembersDecoder(members, catchall && below(catchall))
  }
  if (schema instanceof z.ZodRecord) return toMembersDecoder([], below(schema.valueType))
  if (schema instanceof z.ZodArray) {
    const decode = toItemsDecoder([], below(schema.element))
    return hasSingleItems ? (value) => decode(typeof value === 'string' ? [value] : value) : decode
  }
  if (schema instanceof z.ZodTuple) {
    const { items, rest } = schema.def
    return toItemsDecoder(items.map(below), rest ? below(rest) : keep)
  }
  if (schema instanceof z.ZodUnion) {
    const decoders = new Map(schema.options.map((option) => [option, below(option)]))
    const choose = toChooser(schema)
    return choose
      ? (value, twin) => decoders.get(choose(value) ?? schema)?.(value, twin) ?? value
      : toAlternativesDecoder(decoders)
  }
  if (schema instanceof z.ZodIntersection) {
    const [left, right] = [below(schema.def.left), below(schema.def.right)]
    return (value, twin) => right(left(value, twin), twin)
  }
  const inner = toInner(schema, 'input')
  return inner && below(inner)
}

// Without a prototype: names come from the client.
function toMembersDecoder(
  members: readonly (readonly [name: string, decode: Decoder | undefined])[],
  others?: Decoder,
): Decoder | undefined {
  const decoders = new Map(members.filter(([, decode]) => decode && decode !== keep))
  const rest = others === keep ? undefined : others
  if (decoders.size === 0 && !rest) return undefined
  const known = new Set(members.map(([name]) => name))
  return (value, twin) => {
    if (!isRecord(value)) return value
    const decoded: Record<string, unknown> = Object.assign(Object.create(null), value)
    for (const name of Object.keys(value)) {
      const decode = decoders.get(name) ?? (known.has(name) ? undefined : rest)
      if (decode) decoded[name] = decode(value[name], Object(twin)[name])
    }
    return decoded
  }
}

function toItemsDecoder(items: readonly Decoder[], rest: Decoder): Decoder {
  return (value, twin) =>
    Array.isArray(value)
      ? value.map((item, index) => (items[index] ?? rest)(item, Object(twin)[index]))
      : value
}

// The first alternative that accepts the value, as Zod chooses it. What only its original form satisfies, such as a
// number that a double does not hold, is rejected.
function toAlternativesDecoder(alternatives: ReadonlyMap<core.$ZodType, Decoder>): Decoder {
  return (value, twin) => {
    for (const [option, decode] of alternatives) {
      const decoded = decode(value, twin)
      if (accepts(option, decoded)) return decoded
    }
    const rejecting = [...alternatives].find(([option]) => accepts(option, value))
    return rejecting ? rejecting[1](value, twin) : value
  }
}

function accepts(schema: core.$ZodType, value: unknown): boolean {
  return z.safeParse(schema, value).success
}
