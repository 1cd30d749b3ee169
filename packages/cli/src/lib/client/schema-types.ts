import { comment } from '../code/comment.ts'
import { key, text } from '../code/literals.ts'
import { type Document, type Json, toJson, toList } from './document.ts'
import { type TypeNames } from './type-names.ts'

const keywords = ['boolean', 'null', 'number', 'string', 'unknown']
const prefix = '#/components/schemas/'

// Writes JSON Schema as TypeScript; named schemas become named types, once each, when they are used.
export class SchemaTypes {
  readonly #document: Document
  readonly #names: TypeNames
  #types = new Map<string, string>()
  readonly #declarations: string[] = []
  readonly #inlined: string[] = []
  // The types that are being written and of which nothing is known yet, not even that they are objects or lists.
  #open: readonly string[] = []

  constructor(document: Document, names: TypeNames) {
    this.#document = document
    this.#names = names
  }

  get declarations(): readonly string[] {
    return this.#declarations
  }

  // Runs a function, and forgets what it has declared if it throws: a type may refer to one that could not be written.
  attempt<Result>(run: () => Result): Result {
    const types = new Map(this.#types)
    const { length } = this.#declarations
    const restoreNames = this.#names.save()
    try {
      return run()
    } catch (error) {
      this.#types = types
      this.#declarations.length = length
      this.#inlined.length = 0
      this.#open = []
      restoreNames()
      throw error
    }
  }

  toType(schema: unknown): string {
    if (typeof schema === 'boolean') return schema ? 'unknown' : 'never'
    const json = toJson(schema)
    const reference = json['$ref']
    if (typeof reference === 'string') return this.#toReference(reference)
    const type = this.#toPlainType(json)
    return json['nullable'] === true ? `(${type}) | null` : type
  }

  // A separate type with this name.
  declare(wanted: string, schema: unknown): string {
    const name = this.#names.claim(wanted)
    this.#write(name, schema)
    return name
  }

  #write(name: string, schema: unknown): void {
    const at = this.#declarations.push('') - 1
    const json = toJson(schema)
    const open = this.#open
    this.#open = [...open, name]
    const type = this.toType(schema)
    this.#open = open
    const isObject = type.startsWith('{') && isPlainObject(json)
    this.#declarations[at] =
      describe(json) +
      (isObject ? `export interface ${name} ${type}` : `export type ${name} = ${type}`)
  }

  #toReference(reference: string): string {
    const known = this.#types.get(reference)
    // A type that is only itself, or itself and something else, says nothing.
    if (known !== undefined) return this.#open.includes(known) ? 'unknown' : known
    const target = this.#document.resolve({ $ref: reference })
    if (reference.startsWith(prefix) && !reference.slice(prefix.length).includes('/')) {
      const name = this.#names.claim(reference.slice(prefix.length))
      this.#types.set(reference, name)
      this.#write(name, this.#document.find(reference))
      return name
    }
    // A reference into another schema: written in place, as it has no name.
    if (this.#inlined.includes(reference)) return 'unknown'
    this.#inlined.push(reference)
    const type = this.toType(target)
    this.#inlined.pop()
    return type
  }

  #toPlainType(json: Json): string {
    const { const: constant, enum: values, type } = json
    if (constant !== undefined) return toLiteral(constant)
    if (Array.isArray(values)) return toUnion(values.map(toLiteral))
    if (Array.isArray(type)) {
      return toUnion(type.map((one: unknown) => this.#toPlainType({ ...json, type: one })))
    }
    const parts = [
      ...toList(json['allOf']).map((part) => this.toType(part)),
      ...[json['oneOf'], json['anyOf']]
        .filter(Array.isArray)
        .map((options) => toUnion(options.map((option: unknown) => this.toType(option)))),
    ].filter((part) => part !== 'unknown')
    const own = this.#toOwnType(json)
    if (own !== 'unknown' || parts.length === 0) parts.push(own)
    const unique = [...new Set(parts)]
    return unique.length === 1 ? (unique[0] ?? '') : unique.map((part) => `(${part})`).join(' & ')
  }

  #toOwnType(json: Json): string {
    switch (json['type'] ?? guessType(json)) {
      case 'object':
        return this.#close(() => this.#toObject(json))
      case 'array':
        return this.#close(() => this.#toArray(json))
      case 'string':
        return json['format'] === 'binary' ? 'Blob' : 'string'
      case 'integer':
      case 'number':
        return 'number'
      case 'boolean':
        return 'boolean'
      case 'null':
        return 'null'
      default:
        return 'unknown'
    }
  }

  // Inside of an object or a list, a type may refer to itself.
  #close(write: () => string): string {
    const open = this.#open
    this.#open = []
    const type = write()
    this.#open = open
    return type
  }

  #toArray({ items, prefixItems }: Json): string {
    if (Array.isArray(prefixItems)) {
      return `[${prefixItems.map((item: unknown) => this.toType(item)).join(', ')}]`
    }
    return `(${items === undefined ? 'unknown' : this.toType(items)})[]`
  }

  #toObject(json: Json): string {
    const required = new Set(toList(json['required']))
    const properties = Object.entries(toJson(json['properties']))
    const { additionalProperties: others } = json
    const members = properties.map(
      ([name, schema]) =>
        `${describe(schema)}${key(name)}${required.has(name) ? '' : '?'}: ${this.toType(schema)}`,
    )
    if (members.length > 0) return `{\n${members.join('\n')}\n}`
    if (others === false) return 'Record<string, never>'
    const value = others === undefined || others === true ? 'unknown' : this.toType(others)
    // TypeScript resolves the arguments of `Record` at once, members only when they are needed.
    return keywords.includes(value) ? `Record<string, ${value}>` : `{ [name: string]: ${value} }`
  }
}

function isPlainObject({ allOf, anyOf, nullable, oneOf, properties }: Json): boolean {
  return properties !== undefined && !allOf && !anyOf && !oneOf && nullable !== true
}

function guessType({ items, prefixItems, properties, additionalProperties }: Json): string {
  if (properties !== undefined || additionalProperties !== undefined) return 'object'
  return items !== undefined || prefixItems !== undefined ? 'array' : ''
}

export function toUnion(types: readonly string[]): string {
  const unique = [...new Set(types)]
  if (unique.length === 0) return 'never'
  if (unique.includes('unknown')) return 'unknown'
  return unique.length === 1 ? (unique[0] ?? '') : unique.map(toOption).join(' | ')
}

function toOption(type: string): string {
  return type.includes('&') || type.includes('|') ? `(${type})` : type
}

// The comment of a schema, parameter or operation.
export function describe(schema: unknown): string {
  const { deprecated, description, ...extensions } = toJson(schema)
  const words = typeof description === 'string' ? description : ''
  return comment(
    deprecated === true ? `${words}\n@deprecated ${describeDeprecation(extensions)}`.trim() : words,
  )
}

// The text that @create-api/core writes, or the date of an API that states only that.
function describeDeprecation(extensions: Json): string {
  const { description } = toJson(extensions['x-deprecation'])
  if (typeof description === 'string') return description
  const sunset = extensions['x-sunset']
  return typeof sunset === 'string' ? `May stop working on ${sunset}.` : ''
}

function toLiteral(value: unknown): string {
  // JSON can contain 1e999, which is Infinity and has no literal type.
  if (typeof value === 'number') return Number.isFinite(value) ? `${value}` : 'number'
  if (value === null || typeof value === 'boolean') return `${value}`
  return typeof value === 'string' ? text(value) : 'unknown'
}
