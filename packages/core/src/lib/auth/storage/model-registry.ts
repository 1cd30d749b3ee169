import mongoose, { type Connection, type Model, type Schema } from 'mongoose'

const own = new WeakSet<object>()

// As long as the driver waits for a server.
const bufferTimeout = 1800

// Names without the prefix.
interface ModelDefinition<T> {
  readonly name: string
  readonly collection: string
  readonly schema: Schema<T>
  /** What its documents say about a user; undefined for those that are about none. */
  readonly personal?: PersonalFields | undefined
}

// The fields of a model of the framework that are about a user.
export interface PersonalFields {
  /** Contains the id of the user. */
  readonly user: string
  /** The fields that the user may have a copy of: no secrets, and no digests of them. */
  readonly fields: readonly string[]
  /** Whether a document is the account itself. */
  readonly isAccount?: boolean
}

export interface PersonalModel extends PersonalFields {
  readonly model: Model<unknown>
  /** Removes a document where that has conditions. */
  readonly remove: Remove | undefined
}

type Remove = (document: never) => Promise<void>

const personalFields = new WeakMap<object, PersonalFields>()
const removals = new WeakMap<object, Remove>()

// Documents of this model are removed by a function, which may refuse.
export function setRemoval<T>(model: Model<T>, remove: (document: T) => Promise<void>): void {
  removals.set(model, remove)
}

// The models of the framework on all connections that are about users.
export function listPersonalModels(): PersonalModel[] {
  return mongoose.connections
    .filter(({ readyState }) => readyState === mongoose.ConnectionStates.connected)
    .flatMap(({ models }) => Object.values(models))
    .flatMap((model) => {
      const personal = personalFields.get(model)
      return personal ? [{ ...personal, model, remove: removals.get(model) }] : []
    })
}

// Where the models of one `createAuth` are.
export interface ModelPlace {
  readonly connection: Connection
  /** Prefix of the names of models and collections. */
  readonly prefix: string
}

// Creates a model on a connection once; further instances of authentication reuse it. Throws TypeError
// when the application has another model of that name, or an instance created it with fewer fields.
export function requireModel<T>(place: ModelPlace, definition: ModelDefinition<T>): Model<T> {
  const { connection, prefix } = place
  const name = prefix + definition.name
  const known: Model<T> | undefined = connection.models[name]
  if (!known) {
    const collection = (prefix + definition.collection).toLowerCase()
    // Where the application connects, an operation would otherwise wait 10 s for the connection.
    const schema = definition.schema.set('bufferTimeoutMS', bufferTimeout)
    const created = connection.model<T>(name, schema, collection)
    own.add(created)
    if (definition.personal) personalFields.set(created, definition.personal)
    return created
  }
  const missing = Object.keys(definition.schema.paths).filter((path) => !known.schema.path(path))
  if (own.has(known) && missing.length === 0) return known
  const fault = own.has(known)
    ? `was created without ${missing.join(', ')} by another instance`
    : "is the application's own"
  throw new TypeError(
    `The model ${name} on this connection ${fault}. Give the models of authentication a prefix: modelPrefix: 'Auth'.`,
  )
}

// Builds the indexes of the models. Throws the error of the database when one cannot be built.
export async function ensureIndexes(place: ModelPlace): Promise<void> {
  const { connection, prefix } = place
  const mine = Object.values(connection.models).filter(
    (model) => own.has(model) && model.modelName.startsWith(prefix),
  )
  // Not init(): on a connection with autoIndex off it builds nothing.
  for (const model of mine) await model.ensureIndexes()
}
