// A default as the generated code writes it; `now` is the time of creation.
export type DefaultValue = string | number | boolean | { readonly now: true }

// The part of a field that its type's code depends on.
export interface TypedField {
  readonly name: string
  readonly type: {
    readonly kind: string
    readonly values?: readonly string[]
    readonly model?: string
  }
  readonly required: boolean
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly match?: string | undefined
  readonly examples?: readonly string[] | undefined
}

// Everything the generator knows about a type. Code is returned as one unformatted expression.
export interface FieldType {
  /** For the documentation. */
  readonly meaning: string
  readonly aliases?: readonly string[]
  /** For types followed by an operand: what it is, and a whole type as an example. */
  readonly operand?: { readonly what: string; readonly example: string }
  /** What `min=` and `max=` limit; neither is accepted without it. */
  readonly bounds?: 'length' | 'number' | 'whole number'
  /** Greatest length unless the field has `max=`. */
  readonly maxLength?: number
  readonly acceptsMatch?: true
  /** Holds any JSON: cannot be indexed, and MongoDB must keep empty objects. */
  readonly schemaless?: true
  readonly default?: {
    readonly parse: (value: string) => DefaultValue | undefined
    readonly hint?: string
  }
  readonly zod: (field: TypedField) => string
  /** Schema options that come first. */
  readonly mongoose: (field: TypedField) => readonly string[]
  /** Schema options after `required`. */
  readonly mongooseRules?: (field: TypedField) => readonly string[]
  /** A valid value for tests; one that contains `count` differs from call to call. */
  readonly sample: (field: TypedField) => string
  /** An invalid value for tests. */
  readonly wrong?: (field: TypedField) => string
  /** A valid value for documents stored before the field was added. */
  readonly initial: (field: TypedField) => string
  /** A valid value for each `count`, if it is not stored as `sample` writes it. */
  readonly distinct?: (field: TypedField) => string
  /** How a stored default is written, if not like its literal. */
  readonly stored?: (value: string) => string
  readonly filterable?: true
  /** Lists compare its values by their collation. */
  readonly collated?: true
  readonly sortable?: true
  /** For types that can replace the id in paths: what it is in code, and keys of no document. */
  readonly key?: {
    readonly type: 'string' | 'number'
    readonly absent: (field: TypedField) => string
  }
}
