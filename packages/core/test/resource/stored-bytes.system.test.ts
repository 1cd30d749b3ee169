import { mongo } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { type core, z } from 'zod'
import { bsonTypes } from '../../src/lib/json/bson.ts'
import { createBsonWriter } from '../../src/lib/response/bson-writer.ts'
import { createSerializer } from '../../src/resource.ts'
import { createRandom, type Random } from '../random.ts'

const cases = Number(process.env['BYTES_CASES'] ?? 20_000)

const { Binary, BSON, BSONRegExp, BSONSymbol, Code, DBRef, Decimal128, Long } = mongo
const { MaxKey, MinKey, ObjectId, Timestamp, UUID } = mongo

const keys = [
  'id',
  '_id',
  'a',
  'b',
  'note',
  'createdAt',
  'undef',
  'ключ',
  'x y',
  '🙂',
  '"quoted"',
  '10',
  '2',
  'length',
  'then',
  'constructor',
  '__proto__',
] as const

const texts = [
  '',
  'plain',
  'He said "no" \\ yes',
  'tab\tline\nnull\u0000bell\u0007',
  'Übergröße',
  '日本語',
  '👩‍👩‍👧',
  '\u2028\u2029',
  'replaced \uFFFD',
  '\u007f\u0080',
  '</script>',
  'then',
  'x'.repeat(300),
  `${'x'.repeat(300)}é`,
] as const

const numbers = [
  0,
  -0,
  1,
  -1,
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 31,
  2 ** 53,
  0.1,
  1e21,
  5e-324,
] as const
const longs = ['0', '-1', '4294967296', '9007199254740991', '9007199254740992'] as const
const otherLongs = ['9007199254740993', '-9007199254740993', '9223372036854775807'] as const
const times = [
  0,
  -1,
  1_700_000_000_123,
  8.64e15,
  -8.64e15,
  -62_198_755_200_000,
  Number.NaN,
] as const
const decimals = ['1.50', '-0', '1E-7', '1E+40', 'NaN', 'Infinity', '12345678901234567890'] as const

const scalars: readonly [(random: Random) => unknown, ...((random: Random) => unknown)[]] = [
  ({ pick }) => pick(texts),
  ({ pick }) => pick(texts),
  ({ pick }) => pick(numbers),
  ({ pick }) => new mongo.Double(pick([Number.NaN, Number.POSITIVE_INFINITY, -0, 3, 1.5])),
  ({ pick }) => Long.fromString(pick([...longs, ...otherLongs])),
  ({ pick }) => Decimal128.fromString(pick(decimals)),
  ({ below }) => below(2) === 0,
  ({ pick }) => new Date(pick(times)),
  ({ pick }) => BSON.Long.fromNumber(pick([8.64e15 + 1, 2 ** 60])),
  () => new ObjectId('65f0c0ffee0123456789abcd'),
  () => new UUID('01234567-89ab-4cde-8123-456789abcdef'),
  ({ pick }) => new Binary(Buffer.from('binary \u00ff'), pick([0, 2, 5, 128])),
  () => null,
  () => /^a.b$/i,
  () => new BSONRegExp('a', 'i'),
  () => new Timestamp({ t: 5, i: 7 }),
  () => new MinKey(),
  () => new MaxKey(),
  () => new Code('f()'),
  () => new Code('f()', { a: 1 }),
  () => new BSONSymbol('symbol'),
  () => new DBRef('others', new ObjectId('65f0c0ffee0123456789abcd')),
  () => ({ $ref: 'others', $id: 1, $db: 'x' }),
  () => ({ $other: 1 }),
]

function createValue(random: Random, depth: number): unknown {
  const kind = depth > 0 ? random.below(10) : 9
  if (kind === 0) return createDocument(random, [], depth - 1)
  if (kind === 1)
    return Array.from({ length: random.below(4) }, () => createValue(random, depth - 1))
  return random.pick(scalars)(random)
}

// A schema, and a function that creates a value which mostly matches it.
interface Node {
  readonly schema: z.ZodType
  readonly create: (random: Random) => unknown
}

const invalidText = 'INVALID!'

function createNode(random: Random, depth: number): Node {
  const leaves: readonly [() => Node, ...(() => Node)[]] = [
    () => ({
      schema: z.string(),
      create: ({ pick, below }) => (below(400) === 0 ? invalidText : pick(texts)),
    }),
    () => ({ schema: z.number(), create: ({ pick }) => pick(numbers) }),
    () => ({ schema: z.boolean(), create: ({ below }) => below(2) === 0 }),
    () => ({ schema: z.date(), create: ({ pick }) => new Date(pick(times)) }),
    () => ({ schema: z.iso.datetime(), create: ({ pick }) => new Date(pick(times)) }),
    () => ({
      schema: z.bigint(),
      create: ({ pick }) => Long.fromString(pick([...longs, ...otherLongs])),
    }),
    () => ({ schema: z.literal(5n), create: () => Long.fromNumber(5) }),
    () => ({ schema: z.enum(['plain', 'then']), create: ({ pick }) => pick(texts) }),
    () => ({ schema: z.unknown(), create: (own) => createValue(own, 2) }),
    () => ({ schema: z.any(), create: (own) => createValue(own, 2) }),
    () => ({ schema: z.json(), create: (own) => createValue(own, 2) }),
    () => ({
      schema: z.string().transform((text) => text.length),
      create: ({ pick }) => pick(numbers),
    }),
    () => ({ schema: z.union([z.string(), z.number()]), create: (own) => own.pick(scalars)(own) }),
  ]
  const inner = (): Node => createNode(random, depth - 1)
  const wrap = (change: (schema: z.ZodType) => z.ZodType, others: readonly unknown[] = []) => {
    const node = inner()
    const create = (own: Random): unknown =>
      others.length > 0 && own.below(3) === 0 ? others[own.below(others.length)] : node.create(own)
    return { schema: change(node.schema), create }
  }
  const containers: readonly [() => Node, ...(() => Node)[]] = [
    () => createObject(random, depth - 1),
    () => createObject(random, depth - 1),
    () => {
      const { schema, create } = inner()
      return {
        schema: z.array(schema),
        create: (own) => Array.from({ length: own.below(4) }, () => create(own)),
      }
    },
    () => {
      const { schema, create } = inner()
      return {
        schema: z.record(z.string(), schema),
        create: (own) =>
          Object.fromEntries([own.pick(keys), own.pick(keys)].map((key) => [key, create(own)])),
      }
    },
    () => {
      const { schema, create } = inner()
      const tuple = random.below(2) === 0 ? z.tuple([schema]) : z.tuple([schema], z.number())
      return { schema: tuple, create: (own) => [create(own), ...[1, 'x'].slice(own.below(3))] }
    },
    () => {
      const [left, right] = [createObject(random, depth - 1), createObject(random, depth - 1)]
      const create = (own: Random): unknown => own.pick([left, right]).create(own)
      const schema =
        random.below(2) === 0
          ? z.union([left.schema, right.schema])
          : z.intersection(left.schema, right.schema)
      return { schema, create }
    },
    () => {
      const tagged = z.discriminatedUnion('a', [
        z.object({ a: z.literal('plain'), b: z.number() }),
        z.object({ a: z.literal('then'), note: z.string() }),
      ])
      return {
        schema: tagged,
        create: (own) => ({ a: own.pick(texts), b: 1, note: own.pick(texts) }),
      }
    },
    () => {
      interface Tree {
        a: string
        b?: Tree | undefined
      }
      const tree: z.ZodType<Tree> = z.object({ a: z.string(), b: z.lazy(() => tree).optional() })
      const create = (own: Random): unknown => ({
        a: own.pick(texts),
        ...(own.below(2) === 0 && { b: create(own) }),
      })
      return { schema: tree, create }
    },
    () => wrap((schema) => schema.optional(), [null]),
    () => wrap((schema) => schema.nullable(), [null]),
    () => wrap((schema) => schema.nullish(), [null]),
    () => wrap((schema) => schema.default('fallback')),
    () => wrap((schema) => schema.prefault('fallback')),
    () => wrap((schema) => schema.readonly()),
    () => wrap((schema) => schema.catch('caught')),
    () => wrap((schema) => z.exactOptional(schema)),
    () => wrap((schema) => schema.optional().nonoptional()),
  ]
  return random.pick(depth > 0 && random.below(2) === 0 ? containers : leaves)()
}

interface ObjectNode extends Node {
  readonly schema: z.ZodObject
}

function createObject(random: Random, depth: number): ObjectNode {
  const names = new Set(Array.from({ length: random.below(6) }, () => random.pick(keys)))
  const nodes = Array.from(names, (name) => {
    const { schema, create } = createNode(random, depth)
    // It is never sent, so that its text is not read.
    const createOwn = name === '__proto__' ? (own: Random) => createValue(own, 1) : create
    return [name, { schema, create: createOwn }] as const
  })
  const shape: core.$ZodShape = Object.fromEntries(
    nodes.map(([name, { schema }]) => [name, schema]),
  )
  const schema = random.below(4) === 0 ? z.looseObject(shape) : z.object(shape)
  return { schema, create: (own) => createDocument(own, nodes, depth) }
}

// With missing, wrong and other fields, in another order.
function createDocument(
  random: Random,
  nodes: readonly (readonly [string, Node])[],
  depth: number,
): Record<string, unknown> {
  const own = nodes.flatMap(([name, { create }]): [string, unknown][] => {
    const choice = random.below(12)
    if (choice === 0) return []
    return [[name, choice === 1 ? createValue(random, depth) : create(random)]]
  })
  const others = Array.from({ length: random.below(4) }, (): [string, unknown] => [
    random.pick(keys),
    createValue(random, depth),
  ])
  const all = random.below(3) === 0 ? [...others, ...own] : [...own, ...others]
  return Object.fromEntries(
    all.filter(([name], at) => all.findIndex(([other]) => other === name) === at),
  )
}

// The object `{ list: documents }` in BSON. Each document consists of the elements of one or more objects, so that a name
// can occur twice.
function encode(documents: readonly (readonly object[])[]): Buffer {
  const items = documents.map((parts, at) => [
    Buffer.from(`\u0003${at}\0`),
    toObject(parts.map((part) => Buffer.from(BSON.serialize(part)).subarray(4, -1))),
  ])
  const bytes = toObject([Buffer.from('\u0004list\0'), toObject(items.flat())])
  // The driver writes neither invalid UTF-8 nor the type `undefined`, but others did.
  replaceAll(bytes, invalidText, 'IN\u00ffALID!')
  replaceAll(bytes, '\u000aundef\0', '\u0006undef\0')
  return bytes
}

function toObject(elements: readonly Buffer[]): Buffer {
  const content = Buffer.concat(elements)
  const size = Buffer.alloc(4)
  size.writeInt32LE(content.length + 5)
  return Buffer.concat([size, content, Buffer.alloc(1)])
}

function replaceAll(bytes: Buffer, text: string, other: string): void {
  for (
    let at = bytes.indexOf(text, 0, 'latin1');
    at !== -1;
    at = bytes.indexOf(text, at, 'latin1')
  ) {
    bytes.write(other, at, 'latin1')
  }
}

function attempt(write: () => unknown): unknown {
  try {
    return write()
  } catch (error) {
    return `throws ${Object(error).constructor.name}`
  }
}

describe('a response written from the bytes of documents', () => {
  it(`is the one written from the documents, in ${cases} random cases`, () => {
    let thrown = 0
    for (let seed = 1; seed <= cases; seed++) {
      const random = createRandom(seed)
      const { schema, create } = createObject(random, 3)
      const bytes = encode(
        Array.from({ length: random.below(4) }, () => [
          Object(create(random)),
          ...(random.below(8) === 0 ? [createDocument(random, [], 2)] : []),
        ]),
      )
      const compile = seed % 3 !== 0
      const plain = createSerializer(schema.array(), { strict: false, compile })
      const write = createBsonWriter(schema.array(), { compile })
      const expected = attempt(() => JSON.stringify(plain(BSON.deserialize(bytes)['list'])))
      const value = { bytes, text: bytes.toString('latin1'), type: bsonTypes.array, at: 10 }
      const actual = attempt(() => write(value))
      expect([seed, actual]).toEqual([seed, expected])
      if (String(expected).startsWith('throws')) thrown++
    }
    expect(thrown).toBeLessThan(cases / 4)
  })
})
