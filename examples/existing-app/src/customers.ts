import { ApiError } from '@create-api/core'
import {
  type LegacyHashes,
  type StoredUser,
  type UserChanges,
  type UserStore,
} from '@create-api/core/auth'
import { compare } from 'bcryptjs'
import { type InferSchemaType, isValidObjectId, model, Schema, type Types } from 'mongoose'

const customerSchema = new Schema(
  {
    mail: { type: String, required: true, unique: true },
    password: { type: String, required: true },
    name: { type: String, required: true },
    group: { type: String, default: 'user' },
    confirmed: { type: Boolean, default: false },
    blocked: { type: Boolean, default: false },
    since: { type: Date, default: Date.now },
  },
  { collection: 'customers' },
)

/** The users of the shop, in the collection and with the fields that they always had. */
export const CustomerModel = model('Customer', customerSchema)

/** The hashes that the shop made until now. */
export const bcryptHashes: LegacyHashes = {
  matches: (stored) => /^\$2[aby]\$/.test(stored),
  verify: (stored, password) => compare(password, stored),
}

/** The customers, as authentication needs them. */
export const customers: UserStore = {
  async create({ email, passwordHash, roles, fields }) {
    const document = {
      mail: email,
      password: passwordHash,
      group: toGroup(roles),
      name: String(fields?.['name']),
    }
    const created = await new CustomerModel(document).save().catch(refuseTaken)
    return toUser(created.toObject())
  },
  async findById(id) {
    const found = isValidObjectId(id) ? await CustomerModel.findById(id).lean() : null
    return found ? toUser(found) : undefined
  },
  async findCredentials(email) {
    const found = await CustomerModel.findOne({ mail: email }).lean()
    return found ? { user: toUser(found), passwordHash: found.password } : undefined
  },
  async update(id, changes, current) {
    if (!isValidObjectId(id)) return false
    const known = current?.passwordHash ? { password: current.passwordHash } : {}
    const { matchedCount } = await CustomerModel.updateOne(
      { _id: id, ...known },
      { $set: toFields(changes) },
    ).catch(refuseTaken)
    return matchedCount > 0
  },
  async remove(id) {
    return (await CustomerModel.findByIdAndDelete(id)) !== null
  },
}

function toUser(
  customer: InferSchemaType<typeof customerSchema> & { _id: Types.ObjectId },
): StoredUser {
  const { _id: id, mail, name, group, confirmed, blocked, since } = customer
  return {
    id: String(id),
    email: mail,
    roles: group === 'user' ? [] : [group],
    emailVerified: confirmed,
    disabled: blocked,
    createdAt: since,
    fields: { name },
  }
}

function toFields({
  email,
  passwordHash,
  emailVerified,
  disabled,
  roles,
  fields,
}: UserChanges): object {
  const changes = {
    mail: email,
    password: passwordHash,
    confirmed: emailVerified,
    blocked: disabled,
    group: roles && toGroup(roles),
    name: fields?.['name'],
  }
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}

// The shop knows one group for each customer.
function toGroup([group = 'user']: readonly string[] = []): string {
  return group
}

// The unique index decides.
function refuseTaken(error: unknown): never {
  if (error instanceof Error && 'code' in error && error.code === 11_000) {
    throw new ApiError('email_taken', { cause: error })
  }
  throw error
}
