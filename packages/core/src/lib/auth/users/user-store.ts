import mongoose, {
  isObjectIdOrHexString,
  type Model,
  type QueryFilter,
  Schema,
  type SchemaDefinition,
  trusted,
  type Types,
} from 'mongoose'
import { fromDatabaseError, isDuplicateKey } from '../../errors/from-database-error.ts'
import { createTakenError } from './identifier.ts'
import { majority } from '../../database/write-concern.ts'
import { type OwnFields } from './user-fields.ts'
import { type ModelPlace, requireModel } from '../storage/model-registry.ts'
import { batchReads } from '../storage/shared-work.ts'

/** A user, as authentication needs it. */
export interface StoredUser {
  /** Opaque id of 1 to 64 characters of `[A-Za-z0-9_-]`. */
  readonly id: string
  /** Canonical e-mail address. */
  readonly email: string
  /** Roles of the user; empty for an ordinary one. */
  readonly roles: readonly string[]
  /** Whether the user has proved to own the address. */
  readonly emailVerified: boolean
  /** Whether the user is locked out: neither logins nor issued tokens are accepted. */
  readonly disabled: boolean
  /** Time of the registration. */
  readonly createdAt: Date
  /** The application's own fields. */
  readonly fields: OwnFields
  /**
   * Increases with each change of the user, for conditional changes.
   * @default undefined, the store makes none, and concurrent changes of roles can be lost
   */
  readonly revision?: number | undefined
}

/** A user and the stored password hash. */
export interface Credentials {
  /** The user. */
  readonly user: StoredUser
  /** Undefined when the user has no password. */
  readonly passwordHash: string | undefined
}

/** A user to be created. */
export interface NewUser {
  /** Canonical e-mail address. */
  email: string
  /** Result of the password hasher. */
  passwordHash: string
  /**
   * Roles of the user.
   * @default []
   */
  roles?: readonly string[] | undefined
  /**
   * The application's own fields, validated.
   * @default {}
   */
  fields?: Readonly<Record<string, unknown>> | undefined
}

/** The fields of a user that authentication changes. */
export interface UserChanges {
  /** New canonical e-mail address; the database must ensure that it is unique. */
  email?: string | undefined
  /** The application's own fields to change; a field with the value undefined is removed. */
  fields?: Readonly<Record<string, unknown>> | undefined
  /** Hash of the new password. */
  passwordHash?: string | undefined
  /** Whether the user has proved to own the address. */
  emailVerified?: boolean | undefined
  /** All roles of the user. */
  roles?: readonly string[] | undefined
  /** Whether the user is locked out. */
  disabled?: boolean | undefined
}

/** The stored values that a change or a removal of a user requires; values that are left out are not compared. */
export interface UserCondition {
  /** The stored hash. */
  passwordHash?: string | undefined
  /** The stored revision. */
  revision?: number | undefined
}

/** The users to list. */
export interface UserListOptions {
  /**
   * Role that the users have.
   * @default undefined, any
   */
  readonly role?: string | undefined
  /**
   * Maximum number of users, 1 to 10,000.
   * @default 100
   */
  readonly limit?: number | undefined
  /**
   * Canonical address of the last user of the page before.
   * @default undefined, the first page
   */
  readonly after?: string | undefined
}

/** The store of users; `auth.users` replaces it. */
export interface UserStore {
  /**
   * Creates a user. The database must ensure uniqueness; a query beforehand cannot.
   * @throws ApiError `email_taken`
   */
  create(user: NewUser): Promise<StoredUser>
  /** Finds a user by id; undefined also for text that is not an id. */
  findById(id: string): Promise<StoredUser | undefined>
  /**
   * Finds a user and the password hash by canonical address, or with `identifier` by the value of that
   * own field.
   */
  findCredentials(value: string, field?: string): Promise<Credentials | undefined>
  /**
   * Changes a user that meets the condition; false when there is none.
   * @throws ApiError `email_taken`
   */
  update(id: string, changes: UserChanges, current?: UserCondition): Promise<boolean>
  /** Removes a user that meets the condition; false when there is none. */
  remove(id: string, current?: UserCondition): Promise<boolean>
  /**
   * Increases the revision of another user who has the role and is not disabled; false when there is
   * none. A store without this method and `revision` does not protect the last administrator.
   */
  touchOther?(id: string, role: string): Promise<boolean>
  /** Lists users in the order of their addresses. Without it `users.list` is an error. */
  list?(options: UserListOptions & { readonly limit: number }): Promise<StoredUser[]>
  /**
   * Lists users by their ids, or by the values that own fields have, in the order of their addresses. Without it
   * `users.findBy` and `users.findMany` are errors.
   */
  findMany?(query: UserQuery): Promise<StoredUser[]>
}

/** The users that a store finds. */
export interface UserQuery extends Pick<UserListOptions, 'after'> {
  /**
   * Ids of the users; text that is not an id finds none.
   * @default undefined, any
   */
  readonly ids?: readonly string[] | undefined
  /**
   * Values of own fields, compared as they are: an object is not an operator.
   * @default undefined, any
   */
  readonly fields?: Readonly<Record<string, unknown>> | undefined
  /** Maximum number of users. */
  readonly limit: number
}

interface UserDocument {
  _id: Types.ObjectId
  /** Canonical: validated, lower case. */
  email: string
  /** PHC string; not part of ordinary reads. */
  passwordHash?: string | undefined
  roles: string[]
  /** Of users from before there were several roles; removed when `roles` is written. */
  role?: string | undefined
  emailVerified: boolean
  disabled: boolean
  createdAt: Date
  updatedAt: Date
  /** Missing in users from before there was one. */
  revision?: number | undefined
}

export type UserModel = Model<UserDocument>

// `fields` are the Mongoose paths of the application's own fields.
export function createUserModel(
  place: ModelPlace,
  fields: SchemaDefinition,
  identifier: string,
): UserModel {
  const schema = new Schema<UserDocument>(
    {
      email: { type: String, required: true },
      passwordHash: { type: String, required: true, select: false },
      roles: [String],
      role: String,
      emailVerified: { type: Boolean, required: true, default: false },
      disabled: { type: Boolean, required: true, default: false },
      revision: { type: Number, default: 0 },
    },
    { timestamps: true, versionKey: false },
  )
  schema.add(fields)
  schema.index({ email: 1 }, { unique: true })
  const isIndexed = schema
    .indexes()
    .some(([keys, { unique }]) => unique === true && Object.keys(keys)[0] === identifier)
  // Sparse: users from before the field was added have none.
  if (!isIndexed) schema.index({ [identifier]: 1 }, { unique: true, sparse: true })
  return requireModel(place, {
    name: 'User',
    collection: 'users',
    schema,
    personal: { user: '_id', fields: [], isAccount: true },
  })
}

export function createMongooseUsers(
  model: UserModel,
  fields: SchemaDefinition,
  identifier: string,
): UserStore {
  const names = Object.keys(fields)
  const toUser = (document: UserDocument): StoredUser => toStoredUser(document, names)
  const read = batchReads(async (ids) => {
    const documents = await model.find({ _id: trusted({ $in: ids }) }).lean()
    return new Map(documents.map(toUser).map((user) => [user.id, user]))
  })
  return {
    async create({ fields: own, roles = [], ...user }) {
      try {
        const document = await model.insertOne(
          { ...own, ...user, roles: [...roles] },
          { w: 'majority' },
        )
        return toUser(document.toObject())
      } catch (error) {
        throw toTakenError(error, identifier)
      }
    },
    async findById(id) {
      return isObjectIdOrHexString(id) ? read(id.toLowerCase()) : undefined
    },
    async findCredentials(value, field = 'email') {
      const document = await model
        .findOne({ [field]: value })
        .select('+passwordHash')
        .lean()
      return document
        ? { user: toUser(document), passwordHash: document.passwordHash ?? undefined }
        : undefined
    },
    async update(id, changes, current = {}) {
      if (!isObjectIdOrHexString(id)) return false
      const options = { ...majority, runValidators: changes.fields !== undefined }
      try {
        const filter = toFilter(id, current)
        const { matchedCount } = await model.updateOne(filter, toUpdate(changes), options)
        return matchedCount > 0
      } catch (error) {
        throw toTakenError(error, identifier)
      }
    },
    async remove(id, current = {}) {
      if (!isObjectIdOrHexString(id)) return false
      const { deletedCount } = await model.deleteOne(toFilter(id, current), majority)
      return deletedCount > 0
    },
    touchOther: (id, role) => touchOther(model, id, role),
    list: async ({ role, ...page }) => {
      const filter = role === undefined ? {} : hasRole(role)
      return (await readPage(model, filter, page)).map(toUser)
    },
    findMany: async (query) => (await readMany(model, query)).map(toUser),
  }
}

function toStoredUser(document: UserDocument, names: readonly string[]): StoredUser {
  const { _id: id } = document
  return {
    id: String(id),
    email: document.email,
    roles: toRoles(document),
    emailVerified: document.emailVerified,
    disabled: document.disabled,
    createdAt: document.createdAt,
    fields: Object.fromEntries(names.map((name) => [name, Reflect.get(document, name)])),
    revision: document.revision ?? 0,
  }
}

function toRoles({ roles, role }: Pick<UserDocument, 'role'> & Partial<UserDocument>): string[] {
  return roles ?? (role === undefined || role === 'user' ? [] : [role])
}

function toFilter(id: string, { revision, ...current }: UserCondition): QueryFilter<UserDocument> {
  // Null is a revision that is missing.
  const known = revision === 0 ? trusted({ $in: [0, null] }) : revision
  return { _id: id, ...current, ...(revision !== undefined && { revision: known }) }
}

const touch = { $inc: { revision: 1 } }

async function readPage(
  model: UserModel,
  filter: QueryFilter<UserDocument>,
  { after, limit }: Pick<UserQuery, 'after' | 'limit'>,
): Promise<UserDocument[]> {
  const rest = after === undefined ? {} : { email: trusted({ $gt: after }) }
  return model
    .find({ ...filter, ...rest })
    .sort({ email: 1 })
    .limit(limit)
    .lean()
}

async function readMany(
  model: UserModel,
  { ids, fields, ...page }: UserQuery,
): Promise<UserDocument[]> {
  try {
    const filter = { ...(ids && hasId(ids)), ...(fields && hasValues(fields)) }
    return await readPage(model, filter, page)
  } catch (error) {
    // No user has a value of another type.
    if (error instanceof mongoose.Error.CastError) return []
    throw error
  }
}

function hasId(ids: readonly string[]): QueryFilter<UserDocument> {
  return { _id: trusted({ $in: ids.filter((id) => isObjectIdOrHexString(id)) }) }
}

function hasValues(values: Readonly<Record<string, unknown>>): QueryFilter<UserDocument> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, trusted({ $eq: value })]),
  )
}

function hasRole(role: string): QueryFilter<UserDocument> {
  return { $or: [{ roles: role }, { role, roles: trusted({ $exists: false }) }] }
}

async function touchOther(model: UserModel, id: string, role: string): Promise<boolean> {
  const filter = { _id: trusted({ $ne: id }), disabled: false, ...hasRole(role) }
  const { matchedCount } = await model.updateOne(filter, touch, { ...majority, timestamps: false })
  return matchedCount > 0
}

function toUpdate({ fields = {}, ...changes }: UserChanges): Record<string, object> {
  const removed = Object.keys(fields).filter((name) => fields[name] === undefined)
  if (changes.roles) removed.push('role')
  const $unset = Object.fromEntries(removed.map((name) => [name, 1]))
  const $set = { ...fields, ...changes }
  return { $set, ...touch, ...(removed.length > 0 && { $unset }) }
}

// The unique index decides, not a query beforehand: two requests could both find nothing.
function toTakenError(error: unknown, identifier: string): unknown {
  if (!isDuplicateKey(error)) return error
  const keys = Object.keys(Object(error.keyPattern))
  const field = ['email', identifier].find((name) => keys.includes(name))
  return field === undefined ? (fromDatabaseError(error) ?? error) : createTakenError(field, error)
}
