import { type DefaultValue } from './field-type.ts'
import { type ScalarKind } from './field-types.ts'

// The type of one value.
export type ValueType =
  | { readonly kind: ScalarKind }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | { readonly kind: 'ref'; readonly model: string }
  // An object with known fields; kind 'object' accepts any.
  | { readonly kind: 'shape'; readonly fields: readonly Field[] }
  // What a Mongoose model of the application stores there.
  | { readonly kind: 'modelled'; readonly code: FieldCode }

// Code of a field that no argument describes.
export interface FieldCode {
  readonly zod: string
  readonly sample?: string | undefined
  readonly wrong?: string | undefined
  readonly readDefault?: string | undefined
}

// One field of a resource, as the command line described it.
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
  /** Minimum of the number, the length or the count. */
  readonly min?: number | undefined
  /** Maximum of the number, the length or the count. */
  readonly max?: number | undefined
  /** Source of a regular expression. */
  readonly match?: string | undefined
  /** Values that `match` accepts. */
  readonly examples?: readonly string[] | undefined
  /** The argument it came from; empty for an object known only by its fields. */
  readonly source: string
  /** What its schema leaves open, for comments in the code. */
  readonly notes?: readonly string[] | undefined
}
