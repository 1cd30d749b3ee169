import { comment } from '../code/comment.ts'
import { key, text } from '../code/literals.ts'
import { type Document, type Json, toJson, toList } from './document.ts'
import { type TypeNames } from './type-names.ts'

const prefix = '#/components/schemas/'

// Writes JSON Schema as TypeScript; named schemas become named types, once each, when they are used.
export class SchemaTypes {
  readonly #document: Document
  readonly #names: TypeNames
  readonly #types = new Map<string, string>()
  readonly #declarations: string[] = []
  readonly #inlined: string[] = []

  constructor(document: Document, names: TypeNames) {
    this.#document = document
    this.#names = names
  }

  get declarations(): readonly string[] {
    return this.#declarations
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
    const type = this.toType(schema)
    const isObject = type.startsWith('{') && isPlainObject(json)
    this.#declarations[at] =
      describe(json) +
      (isObject ? `export interface ${name} ${type}` : `export type ${name} = ${type}`)
  }

  #toReference(reference: string): string {
    const known = this.#types.get(reference)
    if (known !== undefined) return known
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
        return this.#toObject(json)
      case 'array':
        return this.#toArray(json)
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
    return `Record<string, ${value}>`
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
  const { deprecated, description } = toJson(schema)
  const words = typeof description === 'string' ? description : ''
  return comment(deprecated === true ? `${words}\n@deprecated` : words)
}

function toLiteral(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return `${value}`
  return typeof value === 'string' ? text(value) : 'unknown'
}
