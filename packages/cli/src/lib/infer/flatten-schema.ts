import { type Document, type Json, toJson, toList } from '../client/document.ts'
import { guess, type InferredType } from './inference.ts'

/** A schema without references and without the forms in which null and inheritance are written. */
export interface FlatSchema {
  readonly keywords: Json
  readonly isNullable: boolean
  /** The references that led to it. */
  readonly followed: readonly string[]
  /** The type of a field whose keywords are not known. */
  readonly fallback?: InferredType
}

export function flattenSchema(
  document: Document,
  schema: Json,
  followed: readonly string[],
): FlatSchema {
  const { $ref, allOf, ...rest } = schema
  if (typeof $ref === 'string') return followReference($ref, rest)
  if (Array.isArray(allOf)) return merge(allOf.map(toJson), rest)
  return unwrapNull(schema)

  // Keywords beside a reference apply as well (3.1).
  function followReference(reference: string, siblings: Json): FlatSchema {
    const target = document.find(reference)
    if (followed.includes(reference)) return unknown('object', 'the schema contains itself')
    if (!target) {
      return unknown('any', `the reference ${reference} cannot be resolved in the document`)
    }
    return flattenSchema(document, { ...target, ...siblings }, [...followed, reference])
  }

  function merge(parts: readonly Json[], own: Json): FlatSchema {
    const all = [...parts, own].map((part) => flattenSchema(document, part, followed))
    const { fallback } = all.find((part) => part.fallback !== undefined) ?? {}
    const keywords = all.map((part) => part.keywords)
    return {
      keywords: {
        ...join(keywords),
        properties: join(keywords.map(({ properties }) => toJson(properties))),
        required: keywords.flatMap(({ required }) => toList(required)),
      },
      isNullable: all.some(({ isNullable }) => isNullable),
      followed: [...new Set(all.flatMap((part) => part.followed))],
      ...(fallback && { fallback }),
    }
  }

  function unknown(type: string, reason: string): FlatSchema {
    return { keywords: {}, isNullable: false, followed, fallback: guess(type, reason) }
  }

  // `nullable` of 3.0, `type: [string, null]` and alternatives with null of 3.1.
  function unwrapNull({ anyOf, oneOf, ...keywords }: Json): FlatSchema {
    const alternatives = [...toList(anyOf), ...toList(oneOf)].map(toJson)
    const [only, ...others] = alternatives.filter(({ type }) => type !== 'null')
    const hasNull = alternatives.some(({ type }) => type === 'null')
    if (only && others.length === 0) {
      const flat = flattenSchema(document, { allOf: [only], ...keywords }, followed)
      return { ...flat, isNullable: flat.isNullable || hasNull }
    }
    const { enum: values, nullable, type } = keywords
    const types = toList(type).filter((one) => one !== 'null')
    const isNullable =
      hasNull ||
      nullable === true ||
      toList(type).length > types.length ||
      toList(values).includes(null)
    const single = Array.isArray(type) && types.length === 1 ? { type: types[0] } : {}
    return { keywords: { ...schema, ...single }, isNullable, followed }
  }
}

// A member named `__proto__` is one like any other.
function join(objects: readonly Json[]): Json {
  return Object.fromEntries(objects.flatMap((object) => Object.entries(object)))
}
