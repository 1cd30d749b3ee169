import { type Envelope } from '../kernel/route.ts'
import { isJsonObject, type JsonObject } from './schema-components.ts'

export interface EnvelopeShape {
  /** The schema of a whole body. */
  toSchema(data: JsonObject, meta: JsonObject | undefined): JsonObject
  /** JSON Pointer to the data in a body: `/data`. */
  readonly dataPointer: string
}

export function toEnvelopeShape(envelope: Envelope | undefined): EnvelopeShape {
  const wrap = envelope ?? ((data: unknown, meta: unknown) => ({ data, meta }))
  const data = { mark: 'data' }
  const meta = { mark: 'meta' }
  const sample = tryWrap(wrap, data, meta)
  return {
    dataPointer: findPointer(sample, data) ?? '',
    toSchema(dataSchema, metaSchema) {
      const body = metaSchema ? sample : tryWrap(wrap, data, undefined)
      return toSchema(
        body,
        new Map<unknown, JsonObject>([
          [data, dataSchema],
          [meta, metaSchema ?? {}],
        ]),
      )
    },
  }
}

// An envelope that reads the data cannot be described; its bodies have no schema.
function tryWrap(wrap: Envelope, data: unknown, meta: unknown): unknown {
  try {
    return wrap(data, meta)
  } catch {
    return undefined
  }
}

function toSchema(value: unknown, marks: ReadonlyMap<unknown, JsonObject>): JsonObject {
  const mark = marks.get(value)
  if (mark) return mark
  if (isJsonObject(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined)
    return {
      type: 'object',
      properties: Object.fromEntries(
        members.map(([key, member]) => [key, toSchema(member, marks)]),
      ),
      required: members.map(([key]) => key),
    }
  }
  return value === undefined ? {} : { const: value }
}

function findPointer(value: unknown, mark: unknown): string | undefined {
  if (value === mark) return ''
  if (!isJsonObject(value)) return undefined
  for (const [key, member] of Object.entries(value)) {
    const below = findPointer(member, mark)
    if (below !== undefined) return `/${key}${below}`
  }
  return undefined
}
