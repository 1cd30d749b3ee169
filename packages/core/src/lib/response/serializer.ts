import { core, z, type ZodType } from 'zod'
import { ApiError } from '../errors/api-error.ts'
import { toErrorItems } from '../errors/to-error-items.ts'
import { type Rule } from '../access/access.ts'
import { isRecord, type Readable, toIntegerText, toPlain, toScalar } from '../json/plain.ts'
import { toJsonDecoder } from '../schemas/decoder.ts'
import { toOutputSide } from '../schemas/output-side.ts'
import { toChooser } from '../schemas/schema-members.ts'
import { type Shape, type ShapeField, toShape } from './shape.ts'

/** Options for {@link createSerializer}. */
export interface SerializerOptions {
  /**
   * Whether a value that does not match the schema is an error. Otherwise fields outside the schema are
   * left out and the rest is not checked.
   * @default true
   */
  strict?: boolean | undefined
  /**
   * Whether to generate code from the names of the fields, which is faster. Never done where code
   * generation is disabled, by `--disallow-code-generation-from-strings` or `z.config({ jitless: true })`.
   * @default true
   */
  compile?: boolean | undefined
  /**
   * Rules that refuse the caller; fields that only they allow to read are left out.
   * @default undefined, none
   */
  refused?: ReadonlySet<Rule> | undefined
}

/** Converts a document, lean or hydrated, to the plain JSON value that a schema describes. */
export type Serializer = (value: unknown) => unknown

/**
 * Creates a function that reads the fields of a response schema from a document, and no others. `id` is
 * read from `_id` if the document has no `id`. Dates become ISO 8601 strings in UTC, ObjectIds and
 * decimals strings; null in an optional field is left out.
 * @param schema - the response in JSON
 * @param options - checks and code generation
 * @returns the serializer; with `strict` it throws an ApiError `internal_error` whose cause lists the
 * differences between value and schema
 */
export function createSerializer(schema: ZodType, options: SerializerOptions = {}): Serializer {
  const write = createWriter(schema, options)
  if (options.strict === false) return write
  const output = toOutputSide(schema)
  const decode = toJsonDecoder(output)
  return (value) => {
    const plain = write(value)
    const result = z.safeParse(output, decode ? decode(plain) : plain)
    if (result.success) return plain
    const faults = toErrorItems(result.error.issues, 'body').map(
      (item) => `${item.pointer} ${item.detail}`,
    )
    throw new ApiError('internal_error', {
      cause: new Error(`The response does not match its schema: ${faults.join('; ')}.`),
    })
  }
}

// Options that decide how a value is written.
export type WriterOptions = Omit<SerializerOptions, 'strict'>

// A serializer that does not check its values.
export function createWriter(schema: core.$ZodType, options: WriterOptions): Serializer {
  const compile = options.compile !== false && mayCompile()
  return toWriter(schema, { compile, refused: options.refused, writers: new Map() })
}

interface How {
  readonly compile: boolean
  readonly refused: ReadonlySet<Rule> | undefined
  /** By schema: one may contain itself. */
  readonly writers: Map<core.$ZodType, Serializer>
}

function toWriter(schema: core.$ZodType, how: How): Serializer {
  const { writers } = how
  const known = writers.get(schema)
  if (known) return known
  writers.set(schema, (value) => writers.get(schema)?.(value))
  const write = toShapeWriter(toShape(schema, how.refused), how)
  writers.set(schema, write)
  return write
}

function toShapeWriter(shape: Shape, how: How): Serializer {
  const { kind } = shape
  if (kind === 'object') return toObjectWriter(shape.fields, how)
  if (kind === 'array') return toArrayWriter(toWriter(shape.item, how))
  if (kind === 'record') return toRecordWriter(toWriter(shape.item, how))
  if (kind === 'union') return toUnionWriter(shape.schema, how)
  if (kind === 'intersection') return toIntersectionWriter(shape.schema, how)
  if (kind === 'tuple') return toTupleWriter(shape.schema, how)
  if (kind === 'default') return toDefaultWriter(shape.schema, how)
  if ('inner' in shape) return toWrapperWriter(shape, toWriter(shape.inner, how))
  return leafWriters[shape.kind]
}

const leafWriters = { any: toPlain, integer: toIntegerText, scalar: toScalar }

function toWrapperWriter(shape: Shape, write: Serializer): Serializer {
  if (shape.kind === 'optional') {
    const { keepsNull } = shape
    return (value) =>
      value === undefined || (value === null && !keepsNull) ? undefined : write(value)
  }
  if (shape.kind === 'nullable') {
    return (value) => (value === null || value === undefined ? value : write(value))
  }
  return write
}

function toDefaultWriter(schema: z.ZodDefault | z.ZodPrefault, how: How): Serializer {
  const write = toWriter(schema.unwrap(), how)
  return (value) => write(value === undefined ? schema.def.defaultValue : value)
}

// The condition under which Zod compiles its parsers.
function mayCompile(): boolean {
  return core.globalConfig.jitless !== true && core.util.allowsEval.value
}

interface Field {
  readonly key: string
  readonly write: Serializer
}

function toObjectWriter(shapes: readonly ShapeField[], how: How): Serializer {
  const fields = shapes.map(({ key, schema }) => ({ key, write: toWriter(schema, how) }))
  const copy = how.compile ? compileCopy(fields) : toCopy(fields)
  return (value) => (isRecord(value) ? copy(value) : toScalar(value))
}

type Copy = (value: Readable) => Readable

// In one literal V8 knows the place of every field; in a loop over names it looks each up every time.
function compileCopy(fields: readonly Field[]): Copy {
  const lines = fields.map(({ key }, index) => {
    const name = JSON.stringify(key)
    const own = key === 'id' ? 'value.id === undefined ? value._id : value.id' : `value[${name}]`
    return `${name}: write${index}(${own})`
  })
  const writers = fields.map((_field, index) => `write${index}`)
  // oxlint-disable-next-line typescript/no-implied-eval -- only the names of fields, as JSON strings; nothing from a request
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
    // Copying an object with every field is twice as fast as adding the fields one by one.
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
    // Three times as fast as Array.from, which uses the iterator.
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

function toUnionWriter(schema: z.ZodUnion, how: How): Serializer {
  const writers = schema.options.map((option) => {
    const output = toOutputSide(option)
    return { option, output, write: toWriter(option, how), decode: toJsonDecoder(output) }
  })
  const choose = toChooser(schema)
  if (choose) {
    const byOption = new Map(writers.map(({ option, write }) => [option, write]))
    return (value) => byOption.get(choose(value) ?? schema)?.(value)
  }
  return (value) => {
    for (const { output, write, decode } of writers) {
      const written = write(value)
      if (z.safeParse(output, decode ? decode(written) : written).success) return written
    }
    return undefined
  }
}

function toIntersectionWriter(schema: z.ZodIntersection, how: How): Serializer {
  const left = toWriter(schema.def.left, how)
  const right = toWriter(schema.def.right, how)
  return (value) => Object.assign({}, left(value), right(value))
}

function toTupleWriter(schema: z.ZodTuple, how: How): Serializer {
  const writers = schema.def.items.map((item) => toWriter(item, how))
  const { rest } = schema.def
  const writeRest = rest && toWriter(rest, how)
  return (value) => {
    if (!Array.isArray(value)) return undefined
    const items = writeRest ? value : value.slice(0, writers.length)
    return items.map((item, index) => (writers[index] ?? writeRest)?.(item))
  }
}
