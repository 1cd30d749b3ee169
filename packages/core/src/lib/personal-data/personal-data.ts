import { type Schema } from 'mongoose'

/** Options of the plugin {@link personalData}. */
export interface PersonalDataOptions {
  /**
   * Field with the id of the user whom a document belongs to; false if it belongs to none.
   * @default 'owner' if the schema has it, else none
   */
  readonly owner?: string | false | undefined
  /**
   * What an erasure does with the documents of the user: `delete` them; `anonymize`, empty the fields of `fields` and the owner; `keep`
   * them, for a `reason`.
   * @default 'delete'
   */
  readonly onErase?: 'delete' | 'anonymize' | 'keep' | undefined
  /**
   * The fields that `anonymize` empties: optional ones become null, and required text becomes `erased`.
   * @default []
   */
  readonly fields?: readonly string[] | undefined
  /** Why the documents are kept; required with `keep`, and shown by the dry run. */
  readonly reason?: string | undefined
  /**
   * What an erasure does with other fields that refer to users: `unset` them, or `keep` the id, which then belongs to no one.
   * @default 'unset' for optional fields; a required one needs a decision
   */
  readonly references?: Readonly<Record<string, 'unset' | 'keep'>> | undefined
}

/**
 * Mongoose plugin that states what `erasePerson` does with the documents of a model. A model without it has the defaults: documents
 * whose field `owner` is the user are deleted, and optional fields that refer to the user become null.
 * @param _schema - the schema
 * @param options - the owner, and what becomes of the documents
 * @throws TypeError when `keep` has no reason, or `fields` are stated without `anonymize`
 * @example
 * ```ts
 * const invoiceSchema = new Schema({ customer: { type: Schema.Types.ObjectId, ref: 'User', required: true }, total: Number })
 *
 * invoiceSchema.plugin(personalData, { owner: 'customer', onErase: 'keep', reason: 'invoices are kept for ten years' })
 * ```
 */
export function personalData(_schema: Schema, options: PersonalDataOptions): void {
  const { fields = [], onErase = 'delete', reason } = options
  if (onErase === 'keep' && !reason) {
    throw new TypeError("personalData: onErase: 'keep' needs a reason.")
  }
  if (fields.length > 0 && onErase !== 'anonymize') {
    throw new TypeError("personalData: fields are for onErase: 'anonymize'.")
  }
}

// Mongoose gives a model a copy of its schema, which has the same plugins.
export function findDecision(schema: Schema): PersonalDataOptions {
  const plugins: unknown = Reflect.get(schema, 'plugins')
  const own = Array.isArray(plugins)
    ? plugins.find((plugin: unknown) => Object(plugin).fn === personalData)
    : undefined
  return own?.opts ?? {}
}
