import { type Connection, type Model, type Schema } from 'mongoose'
import { majority } from '../database/write-concern.ts'
import { isDuplicateKey } from '../errors/from-database-error.ts'

/** Options for {@link integerIds}. */
export interface IntegerIdOptions {
  /**
   * Field that gets the numbers; the schema declares it as `Number`.
   * @default '_id'
   */
  field?: string | undefined
  /**
   * Name of the counter, the `_id` of its document in the collection `counters`. Models with the same
   * counter share its numbers.
   * @default the name of the collection of the model
   */
  counter?: string | undefined
  /**
   * The first number, if the collection has no higher one.
   * @default 1
   */
  start?: number | undefined
}

/**
 * Mongoose plugin that numbers new documents: 1, 2, 3, …, by a counter in the collection `counters`.
 * `save`, `create`, `insertOne` and `insertMany` set the number, unless the document has one; upserts
 * and `bulkWrite` do not. Numbers are unique and increase across processes. There are gaps: the number
 * of a document that could not be stored is not used again, also in a transaction that is aborted. A
 * new counter continues after the highest number in the collection.
 * @param schema - the schema, which declares the field: `{ _id: { type: Number, required: true }, … }`
 * @param options - field and counter
 * @throws TypeError when the schema does not declare the field as `Number`
 * @example
 * ```ts
 * const orderSchema = new Schema({ _id: { type: Number, required: true } }).plugin(integerIds)
 * ```
 */
export function integerIds(schema: Schema, options: IntegerIdOptions = {}): void {
  const { field = '_id' } = options
  if (schema.path(field)?.instance !== 'Number') {
    throw new TypeError(
      `integerIds needs a number: declare ${field} in the schema: new Schema({ ${field}: { type: Number, required: true }, … }).`,
    )
  }
  // The second one is for documents that are saved without validation.
  schema.pre(['validate', 'save'], async function number() {
    if (!this.$isNew || (this.get(field) ?? null) !== null) return
    const model = this.$model()
    this.set(field, await reserve(model, 1, { ...options, field }))
  })
  schema.pre('insertMany', async function number(this: Model<unknown>, documents: unknown) {
    const list: object[] = [documents].flat().map(Object)
    const without = list.filter((document) => (Reflect.get(document, field) ?? null) === null)
    if (without.length === 0) return
    const first = await reserve(this, without.length, { ...options, field })
    for (const [index, document] of without.entries()) Reflect.set(document, field, first + index)
  })
}

interface Counter {
  _id: string
  /** The highest number that was given. */
  value: number
}

type Numbered = Pick<Model<unknown>, 'collection' | 'db'>
type Choice = IntegerIdOptions & { readonly field: string }

// The first of `count` numbers in a row. Not part of a transaction: a document of the counter that one
// transaction has changed would make all others wait or fail.
async function reserve(model: Numbered, count: number, choice: Choice): Promise<number> {
  const { counter = model.collection.name } = choice
  const counters = toCounters(model.db)
  for (;;) {
    const found = await counters.findOneAndUpdate(
      { _id: counter },
      { $inc: { value: count } },
      { ...majority, returnDocument: 'after' },
    )
    if (found) return found.value - count + 1
    await createCounter(model, counter, choice)
  }
}

async function createCounter(
  model: Numbered,
  counter: string,
  { field, start = 1 }: Choice,
): Promise<void> {
  const highest = await model.collection
    .find({ [field]: { $type: 'number' } }, { projection: { [field]: 1 } })
    .sort({ [field]: -1 })
    .limit(1)
    .next()
  const value = Math.max(start - 1, Number(highest?.[field] ?? -Infinity))
  try {
    await toCounters(model.db).insertOne({ _id: counter, value }, majority)
  } catch (error) {
    // Another request has created it.
    if (!isDuplicateKey(error)) throw error
  }
}

function toCounters(connection: Connection): ReturnType<typeof connection.collection<Counter>> {
  return connection.collection<Counter>('counters')
}
