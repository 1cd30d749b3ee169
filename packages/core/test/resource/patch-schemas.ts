import { z } from 'zod'

// Random schemas of bodies, documents and patches, and what a patch has to do: written from RFC 7396 and the
// documentation, without the code under test.

/** A whole number from 0, below a limit. */
export type Random = (below: number) => number

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type JsonObject = { [key: string]: Json }

export type Node =
  | { readonly kind: 'string' }
  | { readonly kind: 'int' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'array'; readonly of: Node }
  | { readonly kind: 'record'; readonly of: Node }
  | ObjectNode
  | {
      readonly kind: 'tagged'
      readonly isDiscriminated: boolean
      readonly variants: readonly ObjectNode[]
    }
  | { readonly kind: 'either'; readonly object: ObjectNode }

export interface ObjectNode {
  readonly kind: 'object'
  /** The value of the member `kind`, if there is one. */
  readonly tag?: string | undefined
  readonly fields: readonly Field[]
}

interface Field {
  readonly name: string
  readonly node: Node
  readonly isOptional: boolean
  readonly isNullable: boolean
  readonly fallback?: Json | undefined
}

// Without those of every object, such as `toString`, which Zod reads from the prototype.
const names = ['a', 'b', 'note', 'ключ', 'x y', 'length', 'size', '🙂']
const topNames = ['a', 'b', 'c', 'note']

export function createBody(random: Random): ObjectNode {
  return createObject(random, 3, undefined, topNames)
}

function createObject(
  random: Random,
  depth: number,
  tag?: string,
  from: readonly string[] = names,
): ObjectNode {
  const start = random(from.length)
  const count = 1 + random(3)
  const fields = Array.from({ length: count }, (_, at): Field => {
    const node = createNode(random, depth - 1)
    const presence = random(6)
    const isNullable = presence === 3 || presence === 4 || random(12) === 0
    const fallback = presence === 5 ? createValue(random, node) : undefined
    const isOptional = presence === 2 || presence === 3
    return { name: from[(start + at) % from.length] ?? 'a', node, isOptional, isNullable, fallback }
  })
  return { kind: 'object', tag, fields }
}

function createNode(random: Random, depth: number): Node {
  const kinds = [
    'string',
    'int',
    'boolean',
    'array',
    'record',
    'object',
    'tagged',
    'either',
  ] as const
  const kind = kinds[random(depth > 0 ? kinds.length : 3)] ?? 'string'
  if (kind === 'array' || kind === 'record') return { kind, of: createNode(random, depth - 1) }
  if (kind === 'object') return createObject(random, depth)
  if (kind === 'either') return { kind, object: createObject(random, depth) }
  if (kind !== 'tagged') return { kind }
  const variants = ['card', 'bank', 'cash'].map((tag) => createObject(random, depth, tag))
  return { kind, isDiscriminated: random(2) === 0, variants }
}

export function toSchema(node: ObjectNode): z.ZodObject {
  const shape = Object.fromEntries(node.fields.map((field) => [field.name, toFieldSchema(field)]))
  return z.strictObject(node.tag === undefined ? shape : { kind: z.literal(node.tag), ...shape })
}

function toFieldSchema({ node, isNullable, isOptional, fallback }: Field): z.ZodType {
  const plain = isNullable ? z.nullable(toNodeSchema(node)) : toNodeSchema(node)
  if (fallback !== undefined) return plain.default(fallback)
  return isOptional ? plain.optional() : plain
}

function toNodeSchema(node: Node): z.ZodType {
  if (node.kind === 'string') return z.string()
  if (node.kind === 'int') return z.int().min(0)
  if (node.kind === 'boolean') return z.boolean()
  if (node.kind === 'array') return z.array(toNodeSchema(node.of))
  if (node.kind === 'record') return z.record(z.string(), toNodeSchema(node.of))
  if (node.kind === 'object') return toSchema(node)
  if (node.kind === 'either') return z.union([z.string(), toSchema(node.object)])
  const [first, ...others] = node.variants.map(toSchema)
  if (!first) throw new Error('no variants')
  return node.isDiscriminated
    ? z.discriminatedUnion('kind', [first, ...others] as [z.ZodObject<{ kind: z.ZodLiteral }>])
    : z.union([first, ...others])
}

const strings = ['', 'x', 'card', 'ü', '12']

export function createValue(random: Random, node: Node): Json {
  if (node.kind === 'string') return strings[random(strings.length)] ?? ''
  if (node.kind === 'int') return random(5)
  if (node.kind === 'boolean') return random(2) === 0
  if (node.kind === 'array')
    return Array.from({ length: random(3) }, () => createValue(random, node.of))
  if (node.kind === 'record') {
    return Object.fromEntries(
      ['p', 'q'].slice(random(3)).map((key) => [key, createValue(random, node.of)]),
    )
  }
  if (node.kind === 'either') return random(2) === 0 ? 'x' : createValue(random, node.object)
  if (node.kind === 'tagged')
    return createValue(random, node.variants[random(3)] ?? { kind: 'string' })
  const value: JsonObject = node.tag === undefined ? {} : { kind: node.tag }
  for (const field of node.fields) {
    if ((field.isOptional || field.fallback !== undefined) && random(2) === 0) continue
    value[field.name] = field.isNullable && random(3) === 0 ? null : createValue(random, field.node)
  }
  return value
}

// Some members of a value, others with null, wrong or unknown ones now and then.
export function createPatch(random: Random, node: Node): Json {
  const odd = random(40)
  if (odd === 0) return 'wrong'
  if (odd === 1) return { unknown: 1 }
  if (node.kind === 'record') {
    const patch: JsonObject = {}
    for (const key of ['p', 'q', 'r'].slice(random(3))) {
      patch[key] = random(3) === 0 ? null : createValue(random, node.of)
    }
    return patch
  }
  if (node.kind === 'either') return random(3) === 0 ? 'y' : createPatch(random, node.object)
  if (node.kind === 'tagged') {
    const variant = node.variants[random(3)] ?? createObject(random, 1)
    if (random(3) === 0) return createValue(random, variant)
    const patch = createPatch(random, variant)
    return isObject(patch) && random(2) === 0 ? { kind: variant.tag ?? '', ...patch } : patch
  }
  if (node.kind !== 'object') return createValue(random, node)
  const patch: JsonObject = {}
  for (const field of node.fields) {
    if (random(2) === 0) continue
    patch[field.name] = random(4) === 0 ? null : createPatch(random, field.node)
  }
  return patch
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// RFC 7396 section 2, with null as a value where a member is not optional, and a change of `kind` as a
// replacement. A member that the object does not have, with null, is removed or, with `isStrict`, a fault.
export function applyPatch(
  node: Node | undefined,
  target: Json | undefined,
  patch: Json,
  isStrict = false,
): Json {
  if (!isObject(patch)) return patch
  if (node?.kind === 'either') return applyPatch(node.object, target, patch, isStrict)
  if (node?.kind === 'tagged') {
    const before = isObject(target) ? target['kind'] : undefined
    const after = Object.hasOwn(patch, 'kind') ? patch['kind'] : before
    const variant = node.variants.find(({ tag }) => tag === after)
    return applyPatch(variant, after === before ? target : undefined, patch, isStrict)
  }
  const result = new Map(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    const field = node?.kind === 'object' ? node.fields.find((one) => one.name === name) : undefined
    const isValue = field ? !field.isOptional : node?.kind === 'object' && isStrict
    const inner = node?.kind === 'record' ? node.of : field?.node
    if (value === null && !isValue) result.delete(name)
    else result.set(name, applyPatch(inner, result.get(name), value, isStrict))
  }
  return Object.fromEntries(result)
}
