import { type SchemaDefinition, isObjectIdOrHexString, trusted } from 'mongoose'
import { ApiError } from '../errors/api-error.ts'
import { batchReads } from './batched-reads.ts'
import { type UserDocument, type UserModel } from './user-model.ts'

/** A user, as authentication needs one. */
export interface StoredUser {
  /** Opaque id of `[A-Za-z0-9_-]`, 64 characters at most. */
  readonly id: string
  /** Canonical e-mail address. */
  readonly email: string
  /** What the user may do. */
  readonly role: string
  /** Whether the address is known to be the user's. */
  readonly emailVerified: boolean
  /** Whether the user is shut out. */
  readonly disabled: boolean
  /** When the user registered. */
  readonly createdAt: Date
  /** The application's own fields. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** A user and the hash to compare a password with. */
export interface Credentials {
  readonly user: StoredUser
  /** Undefined when the user has no password. */
  readonly passwordHash: string | undefined
}

/** What a new user starts with. */
export interface NewUser {
  /** Canonical e-mail address. */
  email: string
  /** What the hasher made of the password. */
  passwordHash: string
  /**
   * What the user may do.
   * @default 'user'
   */
  role?: string | undefined
  /**
   * The application's own fields, validated.
   * @default {}
   */
  fields?: Readonly<Record<string, unknown>> | undefined
}

/** What of a user authentication changes. */
export interface UserChanges {
  /** What the hasher made of the new password. */
  passwordHash?: string | undefined
  /** Whether the address is known to be the user's. */
  emailVerified?: boolean | undefined
  /** What the user may do. */
  role?: string | undefined
  /** Whether the user is shut out. */
  disabled?: boolean | undefined
}

/** Where users are kept; replaceable by `auth.users`. */
export interface UserStore {
  /**
   * Keeps a new user. Uniqueness must come from the database, never from a look before.
   * @throws ApiError `email_taken`
   */
  create(user: NewUser): Promise<StoredUser>
  /** Finds a user by id; undefined also for an id that cannot be one. */
  findById(id: string): Promise<StoredUser | undefined>
  /** Finds a user by canonical address, with the hash. */
  findCredentials(email: string): Promise<Credentials | undefined>
  /** Changes a user; false when there is none. With `passwordHash` only if that is the hash now. */
  update(
    id: string,
    changes: UserChanges,
    current?: { passwordHash?: string | undefined },
  ): Promise<boolean>
  /** Removes a user; false when there is none. */
  remove(id: string): Promise<boolean>
}

const majority = { writeConcern: { w: 'majority' as const } }

/**
 * Makes the store that keeps users with Mongoose.
 * @param model - made by `createUserModel`
 * @param fields - the application's own paths
 * @returns the store
 */
export function createMongooseUsers(model: UserModel, fields: SchemaDefinition = {}): UserStore {
  const names = Object.keys(fields)
  const toUser = (document: UserDocument): StoredUser => toStoredUser(document, names)
  const read = batchReads(async (ids) => {
    const documents = await model.find({ _id: trusted({ $in: ids }) }).lean()
    return new Map(documents.map(toUser).map((user) => [user.id, user]))
  })
  return {
    async create({ fields: own, role = 'user', ...user }) {
      try {
        const document = await model.insertOne({ ...own, ...user, role }, { w: 'majority' })
        return toUser(document.toObject())
      } catch (error) {
        if (isTaken(error)) throw new ApiError('email_taken', { cause: error })
        throw error
      }
    },
    async findById(id) {
      return isObjectIdOrHexString(id) ? read(id.toLowerCase()) : undefined
    },
    async findCredentials(email) {
      const document = await model.findOne({ email }).select('+passwordHash').lean()
      return document
        ? { user: toUser(document), passwordHash: document.passwordHash ?? undefined }
        : undefined
    },
    async update(id, changes, current = {}) {
      if (!isObjectIdOrHexString(id)) return false
      const { matchedCount } = await model.updateOne(
        { _id: id, ...current },
        { $set: changes },
        majority,
      )
      return matchedCount > 0
    },
    async remove(id) {
      if (!isObjectIdOrHexString(id)) return false
      const { deletedCount } = await model.deleteOne({ _id: id }, majority)
      return deletedCount > 0
    },
  }
}

function toStoredUser(document: UserDocument, names: readonly string[]): StoredUser {
  const { _id: id } = document
  return {
    id: String(id),
    email: document.email,
    role: document.role,
    emailVerified: document.emailVerified,
    disabled: document.disabled,
    createdAt: document.createdAt,
    fields: Object.fromEntries(names.map((name) => [name, Reflect.get(document, name)])),
  }
}

// The unique index decides, not a look before: two requests could both find nothing.
function isTaken(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 11_000) return false
  return 'keyPattern' in error && Object.keys(Object(error.keyPattern)).includes('email')
}
