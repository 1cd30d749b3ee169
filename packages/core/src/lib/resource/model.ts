import { type Model, type Query } from 'mongoose'

/** A Mongoose model of documents `T`, with any methods, virtuals and hooks. */
// oxlint-disable-next-line typescript/no-explicit-any -- the parameters of Model are invariant
export type AnyModel<T> = Model<T, {}, any, any, any, any, any>

// oxlint-disable-next-line typescript/no-explicit-any -- the parameters of Query are invariant
export type AnyQuery<T> = Query<T[], any, any, any, any, any, any>

export function toReferredModel<T>(model: AnyModel<T>, path: string): string | undefined {
  const type = model.schema.path(path)
  if (!type) return undefined
  const ref: unknown = type.getEmbeddedSchemaType()?.options['ref'] ?? type.options['ref']
  return typeof ref === 'string' ? ref : undefined
}
