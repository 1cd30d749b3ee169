import { type Document } from './document.ts'
import { isJson, isSame, type Json, listAt, objectAt } from './json.ts'

// One form for what OpenAPI can say in several: references are followed, the keywords of 3.0 become
// those of JSON Schema 2020-12, and the parts of allOf become one schema where they do not collide.
export function normaliseSchema(document: Document, schema: unknown): Json {
  const { allOf, ...own } = modernise(document.resolve(schema))
  if (!Array.isArray(allOf)) return own
  const parts = [...allOf.map((part) => normaliseSchema(document, part)), own]
  return parts.reduce<Json | undefined>(merge, {}) ?? { ...own, allOf: parts.slice(0, -1) }
}

function modernise(schema: Json): Json {
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum, nullable, ...rest } = schema
  const type = rest['type']
  return {
    ...rest,
    ...(nullable === true && type !== undefined && { type: [type, 'null'].flat() }),
    ...toBound('minimum', minimum, exclusiveMinimum),
    ...toBound('maximum', maximum, exclusiveMaximum),
  }
}

// In 3.0 exclusiveMinimum is a boolean that qualifies minimum.
function toBound(name: 'minimum' | 'maximum', bound: unknown, exclusive: unknown): Json {
  const exclusiveName = name === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum'
  if (exclusive === true) return { [exclusiveName]: bound }
  return {
    ...(bound !== undefined && { [name]: bound }),
    ...(typeof exclusive === 'number' && { [exclusiveName]: exclusive }),
  }
}

// Keywords that say nothing about values, so that the last one may win.
const annotations = ['title', 'description', 'default', 'example', 'examples', 'deprecated']

// Returns nothing when both say something else about the same.
function merge(one: Json | undefined, other: Json): Json | undefined {
  if (one === undefined) return undefined
  const lists = ['properties', 'required', ...annotations]
  const collides = Object.keys(other).some(
    (key) => Object.hasOwn(one, key) && !lists.includes(key) && !isSame(one[key], other[key]),
  )
  const properties = objectAt(one, 'properties')
  const more = objectAt(other, 'properties')
  const shared = Object.keys(more).some(
    (name) => Object.hasOwn(properties, name) && !isSame(properties[name], more[name]),
  )
  if (collides || shared) return undefined
  const required = new Set([...listAt(one, 'required'), ...listAt(other, 'required')])
  return {
    ...one,
    ...other,
    ...((isJson(one['properties']) || isJson(other['properties'])) && {
      properties: { ...properties, ...more },
    }),
    ...(required.size > 0 && { required: [...required] }),
  }
}
