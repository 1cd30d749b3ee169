import { core, z, type ZodType } from 'zod'
import { ApiError } from '../errors/api-error.ts'
import { toErrorItems } from '../errors/to-error-items.ts'
import { isRecord, type Readable, toPlain, toScalar } from './plain.ts'

/** Options for {@link createSerializer}. */
export interface SerializerOptions {
  /**
   * Whether a value that contradicts the schema is an error; otherwise it is cut to the schema.
   * @default true
   */
  strict?: boolean | undefined
}

/** Turns a document, lean or hydrated, into the plain JSON value a schema describes. */
export type Serializer = (value: unknown) => unknown

/**
 * Compiles a schema of an answer to a function: it reads from a document what the schema names and
 * nothing else. `id` is read from `_id` when the document has no `id`; dates become ISO texts in
 * UTC with milliseconds, ObjectIds hex, decimals texts; null in an optional field is left out.
 * @param schema - what the answer looks like in JSON
 * @param options - strict or not
 * @returns the serializer; when strict it throws an ApiError `internal_error` whose cause says where
 * value and schema differ
 */
export function createSerializer(schema: ZodType, options: SerializerOptions = {}): Serializer {
  const write = toWriter(schema)
  if (options.strict === false) return write
  return (value) => {
    const plain = write(value)
    const result = schema.safeParse(plain)
    if (result.success) return plain
    const faults = toErrorItems(result.error.issues, 'body').map(
      (item) => `${item.pointer} ${item.detail}`,
    )
    throw new ApiError('internal_error', {
      cause: new Error(`The answer does not match its response schema: ${faults.join('; ')}.`),
    })
  }
}

function toWriter(schema: core.$ZodType): Serializer {
  if (schema instanceof z.ZodObject) return toObjectWriter(schema)
  if (schema instanceof z.ZodArray) return toArrayWriter(toWriter(schema.element))
  if (schema instanceof z.ZodRecord) return toRecordWriter(toWriter(schema.valueType))
  if (schema instanceof z.ZodUnion) return toUnionWriter(schema.options)
  if (schema instanceof z.ZodUnknown || schema instanceof z.ZodAny) return toPlain
  return toWrapperWriter(schema)
}

function toWrapperWriter(schema: core.$ZodType): Serializer {
  if (schema instanceof z.ZodOptional) return toOptionalWriter(schema)
  if (schema instanceof z.ZodNullable) return toNullableWriter(toWriter(schema.unwrap()))
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    const write = toWriter(schema.unwrap())
    return (value) => write(value === undefined ? schema.def.defaultValue : value)
  }
  if (schema instanceof z.ZodReadonly || schema instanceof z.ZodNonOptional) {
    return toWriter(schema.unwrap())
  }
  if (schema instanceof z.ZodPipe) return toWriter(schema.out)
  if (schema instanceof z.ZodLazy) {
    let write: Serializer | undefined
    return (value) => (write ??= toWriter(schema.unwrap()))(value)
  }
  if (schema instanceof z.ZodIntersection) return toIntersectionWriter(schema)
  if (schema instanceof z.ZodTuple) return toTupleWriter(schema)
  return toScalar
}

interface Field {
  readonly key: string
  readonly write: Serializer
}

function toObjectWriter(schema: z.ZodObject): Serializer {
  const fields = Object.entries(schema.shape)
    // Assigned, it would be a prototype.
    .filter(([key]) => key !== '__proto__')
    .map(([key, field]) => ({ key, write: toWriter(field) }))
  // Zod compiles its parsers under the same condition.
  const mayCompile = core.globalConfig.jitless !== true && core.util.allowsEval.value
  const copy = mayCompile ? compileCopy(fields) : toCopy(fields)
  return (value) => (isRecord(value) ? copy(value) : toScalar(value))
}

type Copy = (value: Readable) => Readable

// One literal: V8 knows its shape and the place of every field, which in a loop it looks up each time.
function compileCopy(fields: readonly Field[]): Copy {
  const lines = fields.map(({ key }, index) => {
    const name = JSON.stringify(key)
    const own = key === 'id' ? 'value.id === undefined ? value._id : value.id' : `value[${name}]`
    return `${name}: write${index}(${own})`
  })
  const writers = fields.map((_field, index) => `write${index}`)
  // oxlint-disable-next-line typescript/no-implied-eval -- nothing of a request is in it: names of fields, as JSON texts
  const compile = new Function(...writers, `return (value) => ({ ${lines.join(', ')} })`)
  return Reflect.apply(
    compile,
    undefined,
    fields.map(({ write }) => write),
  )
}

function toCopy(fields: readonly Field[]): Copy {
  const blank = Object.fromEntries(fields.map(({ key }) => [key, undefined]))
  return (value) => {
    // A copy has every field from its birth: adding them one by one takes twice as long.
    const written: Record<string, unknown> = { ...blank }
    for (const { key, write } of fields) {
      const own = value[key]
      written[key] = write(own === undefined && key === 'id' ? value['_id'] : own)
    }
    return written
  }
}

function toArrayWriter(write: Serializer): Serializer {
  return (value) => {
    if (!Array.isArray(value)) return undefined
    const list: unknown[] = []
    // Not Array.from, which goes by the iterator: three times as slow.
    for (let index = 0; index < value.length; index++) list.push(write(value[index]))
    return list
  }
}

function toRecordWriter(write: Serializer): Serializer {
  return (value) => {
    const entries = value instanceof Map ? value : isRecord(value) ? Object.entries(value) : []
    return Object.fromEntries(Array.from(entries, ([key, item]) => [String(key), write(item)]))
  }
}

function toOptionalWriter(schema: z.ZodOptional): Serializer {
  const write = toWriter(schema.unwrap())
  // MongoDB may hold null where the field was never given; JSON says that by leaving it out.
  const keepsNull = schema.unwrap() instanceof z.ZodNullable
  return (value) =>
    value === undefined || (value === null && !keepsNull) ? undefined : write(value)
}

function toNullableWriter(write: Serializer): Serializer {
  return (value) => (value === null || value === undefined ? value : write(value))
}

function toUnionWriter(options: readonly core.$ZodType[]): Serializer {
  const writers = options.map((option) => ({ option, write: toWriter(option) }))
  return (value) => {
    for (const { option, write } of writers) {
      const written = write(value)
      if (z.safeParse(option, written).success) return written
    }
    return undefined
  }
}

function toIntersectionWriter(schema: z.ZodIntersection): Serializer {
  const left = toWriter(schema.def.left)
  const right = toWriter(schema.def.right)
  return (value) => Object.assign({}, left(value), right(value))
}

function toTupleWriter(schema: z.ZodTuple): Serializer {
  const writers = schema.def.items.map((item) => toWriter(item))
  return (value) =>
    Array.isArray(value) ? writers.map((write, index) => write(value[index])) : undefined
}
