/** Types a field can have, besides `enum` and `ref`. */
export const scalarTypes = [
  'string',
  'text',
  'int',
  'number',
  'decimal',
  'boolean',
  'date',
  'email',
  'url',
  'uuid',
  'objectid',
  'object',
  'any',
] as const

/** One of {@link scalarTypes}. */
export type ScalarType = (typeof scalarTypes)[number]

/** What one value of a field is. */
export type ValueType =
  | { readonly kind: ScalarType }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | { readonly kind: 'ref'; readonly model: string }
  // An object whose fields are known; kind 'object' takes any.
  | { readonly kind: 'shape'; readonly fields: readonly Field[] }

/** A default as the generated code writes it; `now` is the moment of creation. */
export type DefaultValue = string | number | boolean | { readonly now: true }

/** One field of a resource, as the command line described it. */
export interface Field {
  readonly name: string
  readonly type: ValueType
  /** True for a list of values of that type. */
  readonly array: boolean
  /** True when a client must send it. */
  readonly required: boolean
  readonly unique: boolean
  readonly index: boolean
  readonly sparse: boolean
  readonly default?: DefaultValue | undefined
  /** Least number, length or count. */
  readonly min?: number | undefined
  /** Greatest number, length or count. */
  readonly max?: number | undefined
  /** Source of a regular expression. */
  readonly match?: string | undefined
  /** The argument it came from; empty for an object that only its fields name. */
  readonly source: string
}

/** Spellings accepted for a type. */
export const typeAliases: Readonly<Record<string, string>> = {
  str: 'string',
  integer: 'int',
  float: 'number',
  double: 'number',
  bool: 'boolean',
  datetime: 'date',
  timestamp: 'date',
  json: 'any',
  mixed: 'any',
  references: 'ref',
  belongs_to: 'ref',
}

/** Every word that begins a type, in the order messages list them. */
export const typeWords: readonly string[] = [...scalarTypes, 'enum', 'ref', 'array']

/** Modifiers that stand alone. */
export const flagModifiers = ['required', 'optional', 'unique', 'index', 'sparse', 'array'] as const

/** Modifiers that carry a value after `=`. */
export const valueModifiers = ['default', 'min', 'max', 'match'] as const

/**
 * Tells whether a type holds text, so that `min=` and `max=` mean its length.
 *
 * @param kind the type's kind
 * @returns true for string, text, email and url
 */
export function isTextual(kind: ValueType['kind']): boolean {
  return kind === 'string' || kind === 'text' || kind === 'email' || kind === 'url'
}

/**
 * Tells whether a type holds a number.
 *
 * @param kind the type's kind
 * @returns true for int, number and decimal
 */
export function isNumeric(kind: ValueType['kind']): boolean {
  return kind === 'int' || kind === 'number' || kind === 'decimal'
}
