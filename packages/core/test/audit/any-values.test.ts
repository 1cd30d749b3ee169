import { model, mongo, Schema } from 'mongoose'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { auditChanges, listAuditEntries, verifyAudit } from '../../src/audit.ts'
import { createDocument, patchDocument, toPatchSchema, versioned } from '../../src/resource.ts'
import { createRandom, type Random } from '../random.ts'
import { useDatabase } from './fixture.ts'

useDatabase()

const { Binary, BSONRegExp, Code, Decimal128, Double, Int32, Long, MaxKey, MinKey } = mongo
const { ObjectId, Timestamp, UUID } = mongo

const leaves: readonly [(random: Random) => unknown, ...((random: Random) => unknown)[]] = [
  ({ pick }) => pick(['', 'text', 'null\u0000byte', '🙂']),
  ({ pick }) => pick([0, -0, 1, 2 ** 31, 2 ** 53, 0.1, Number.NaN, Number.POSITIVE_INFINITY]),
  ({ pick }) => new Double(pick([1, -0, 1.5])),
  ({ pick }) => new Int32(pick([0, 7])),
  ({ pick }) => Long.fromString(pick(['5', '9007199254740993', '-9223372036854775808'])),
  ({ pick }) => Decimal128.fromString(pick(['1.50', '1E+40', 'NaN'])),
  ({ pick }) => new Date(pick([0, -1, 8.64e15])),
  ({ pick }) => new Binary(Buffer.from('bytes'), pick([0, 5, 128])),
  () => Buffer.from('bytes'),
  () => new UUID('01234567-89ab-4cde-8123-456789abcdef'),
  () => new ObjectId('65f0c0ffee0123456789abcd'),
  () => /^a.b$/i,
  () => new BSONRegExp('a', 'i'),
  () => new Timestamp({ t: 5, i: 7 }),
  () => new MinKey(),
  () => new MaxKey(),
  () => new Code('f()', { a: 1 }),
  () => null,
  () => undefined,
  () => true,
  () => 12n,
]

function createValue(random: Random, depth: number): unknown {
  const kind = random.below(10)
  if (depth === 0 || kind > 4) return random.pick(leaves)(random)
  const items = Array.from({ length: random.below(4) }, () => createValue(random, depth - 1))
  if (kind < 2) return items
  const keys = ['a', 'b.c', '$d', '10', '2', 'constructor', 'ключ'] as const
  return Object.fromEntries(items.map((item) => [random.pick(keys), item]))
}

it('values of every type can be verified after they were stored', async () => {
  const runs = Number(process.env['AUDIT_VALUES'] ?? 2000)
  const seed = Number(process.env['SEED'] ?? Date.now())
  const random = createRandom(seed)
  const Things = model(
    'Thing',
    new Schema({ value: Schema.Types.Mixed }, { collection: 'things', minimize: false }).plugin(
      versioned,
    ),
  )
  auditChanges(Things)
  const schema = toPatchSchema(z.strictObject({ value: z.unknown() }))
  const { _id: id } = await createDocument(Things, { value: 1 }, { scope: {} })
  for (let run = 0; run < runs; run++) {
    const input = { value: createValue(random, 3) }
    await patchDocument(Things, { _id: id }, { scope: {}, match: {}, schema, input })
  }
  expect([seed, (await verifyAudit()).faults]).toEqual([seed, []])
  const entries = await listAuditEntries({ limit: 5 })
  expect(() => JSON.stringify(entries)).not.toThrow()
})
