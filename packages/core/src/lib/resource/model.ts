import { type Model, type Query, type Schema } from 'mongoose'

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

// Whether the schema of a model has a plugin.
export function hasPlugin<T>({ schema }: AnyModel<T>, plugin: (schema: Schema) => void): boolean {
  const plugins: unknown = Reflect.get(schema, 'plugins')
  return Array.isArray(plugins) && plugins.some((own: unknown) => Object(own).fn === plugin)
}
