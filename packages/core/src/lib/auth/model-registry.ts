import { type Connection, type Model, type Schema } from 'mongoose'

const own = new WeakSet<object>()

/** What a model is made of. */
export interface ModelParts<T> {
  /** Name of the model, without the prefix. */
  readonly name: string
  /** Name of its collection, without the prefix. */
  readonly collection: string
  readonly schema: Schema<T>
}

/** Where the models of one authentication are. */
export interface ModelPlace {
  readonly connection: Connection
  /** Put before the names of models and collections. */
  readonly prefix: string
}

/**
 * Makes a model on a connection, once; further instances of authentication find it again.
 * @param place - connection and prefix
 * @param parts - name, collection and schema
 * @returns the model
 * @throws TypeError when the application has another model of that name, or this one was made with
 * fewer fields
 */
export function requireModel<T>(place: ModelPlace, parts: ModelParts<T>): Model<T> {
  const { connection, prefix } = place
  const name = prefix + parts.name
  const known: Model<T> | undefined = connection.models[name]
  if (!known) {
    const collection = (prefix + parts.collection).toLowerCase()
    const made = connection.model<T>(name, parts.schema, collection)
    own.add(made)
    return made
  }
  const missing = Object.keys(parts.schema.paths).filter((path) => !known.schema.path(path))
  if (own.has(known) && missing.length === 0) return known
  const fault = own.has(known)
    ? `was made without ${missing.join(', ')} by another instance`
    : "is the application's own"
  throw new TypeError(
    `The model ${name} on this connection ${fault}. Give authentication names of its own: modelPrefix: 'Auth'.`,
  )
}

/**
 * Builds the indexes of the models that were made, and waits for them.
 * @param place - connection and prefix
 * @throws Error of the database when one cannot be built
 */
export async function ensureIndexes(place: ModelPlace): Promise<void> {
  const { connection, prefix } = place
  const mine = Object.values(connection.models).filter(
    (model) => own.has(model) && model.modelName.startsWith(prefix),
  )
  // Not init(): on a connection with autoIndex off it builds nothing.
  for (const model of mine) await model.ensureIndexes()
}
