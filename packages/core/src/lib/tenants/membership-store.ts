import { isObjectIdOrHexString, type Model, trusted, Types } from 'mongoose'
import { ApiError } from '../errors/api-error.ts'
import { majority } from '../database/write-concern.ts'
import { isDuplicateKey } from '../errors/from-database-error.ts'
import { setRemoval } from '../auth/storage/model-registry.ts'
import { batchReads } from '../auth/storage/shared-work.ts'
import { adminRole, type Member, type TenantContext } from '../features/tenants.ts'
import { type MembershipDocument } from './tenant-models.ts'

export interface MembershipStore {
  /** The roles of a member, read once for all that are requested in one turn; undefined for others. */
  readRoles(member: Member): Promise<readonly string[] | undefined>
  /** Those of some users who are members. */
  findMembers(organization: string, users: readonly string[]): Promise<ReadonlySet<string>>
  /** Adds a member; false if the user is one already. */
  add(member: Member, roles: readonly string[]): Promise<boolean>
  /** Replaces the roles of a member. */
  setRoles(member: Member, roles: readonly string[]): Promise<void>
  remove(member: Member): Promise<void>
  /** Removes all members of an organization that is being removed, the administrators last. */
  removeAll(organization: string): Promise<void>
}

type MembershipModel = Model<MembershipDocument>

export function createMembershipStore(
  model: MembershipModel,
  isActive: TenantContext['isActive'],
): MembershipStore {
  const read = batchReads((keys) => readMany(model, keys))
  const withdraw = createWithdrawal(model, isActive)
  const remove = (member: Member): Promise<void> =>
    withdraw(member, async (filter) => (await model.deleteOne(filter, majority)).deletedCount)
  // An erasure of the user keeps the last administrator, too.
  setRemoval(model, ({ organization, user }) =>
    remove({ organization: String(organization), user }),
  )
  return {
    async readRoles({ organization, user }) {
      return isObjectIdOrHexString(organization) ? read(toKey(organization, user)) : undefined
    },
    async findMembers(organization, users) {
      const filter = { organization, user: trusted({ $in: users }) }
      const found = await model.find(filter, { user: 1 }).lean()
      return new Set(found.map(({ user }) => user))
    },
    async add(member, roles) {
      const document = { ...member, roles: [...roles], createdAt: new Date() }
      try {
        await model.insertOne(document, { w: 'majority' })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },
    async setRoles(member, roles) {
      const update = { roles: [...roles], leaving: null }
      const change = (filter: object): Promise<number> => updateOne(model, filter, update)
      if (!roles.includes(adminRole)) await withdraw(member, change)
      else if ((await change(member)) === 0) throw new ApiError('not_found')
    },
    remove,
    async removeAll(organization) {
      // An administrator can repeat a removal that was interrupted.
      await model.deleteMany({ organization, roles: trusted({ $ne: adminRole }) }, majority)
      await model.deleteMany({ organization }, majority)
    },
  }
}

function toKey(organization: string, user: string): string {
  return `${organization.toLowerCase()} ${user}`
}

// May read a few more memberships than were asked for; the map decides.
async function readMany(
  model: MembershipModel,
  keys: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const pairs = keys.map((key) => key.split(' '))
  const organization = trusted({ $in: pairs.map(([id = '']) => id) })
  const user = trusted({ $in: pairs.map(([, id = '']) => id) })
  const found = await model.find({ organization, user }, { leaving: 0 }).lean()
  return new Map(found.map((it) => [toKey(String(it.organization), it.user), it.roles]))
}

async function updateOne(model: MembershipModel, filter: object, $set: object): Promise<number> {
  return (await model.updateOne(filter, { $set }, majority)).matchedCount
}

// Takes the role of an administrator, or the membership, from a member. Of concurrent attempts at least
// one finds another administrator who is not leaving, or all are refused: each marks its own membership
// before it looks at the others. That needs no transaction (decision 073).
function createWithdrawal(model: MembershipModel, isActive: TenantContext['isActive']): Withdraw {
  return async (member, change) => {
    if ((await change({ ...member, roles: trusted({ $ne: adminRole }) })) > 0) return
    const attempt = new Types.ObjectId()
    await clearAbandoned(model, member.organization)
    const marked = await updateOne(model, { ...member, roles: adminRole }, { leaving: attempt })
    if (marked === 0) throw new ApiError('not_found')
    const mine = { ...member, leaving: attempt }
    if (!(await hasOtherAdmin(model, member, isActive))) {
      await updateOne(model, mine, { leaving: null })
      throw new ApiError('last_administrator')
    }
    // The mark is gone if another request has changed the member since.
    if ((await change(mine)) === 0) throw new ApiError('conflict')
  }
}

type Withdraw = (member: Member, change: (filter: object) => Promise<number>) => Promise<void>

async function hasOtherAdmin(
  model: MembershipModel,
  { organization, user }: Member,
  isActive: TenantContext['isActive'],
): Promise<boolean> {
  const others = { organization, roles: adminRole, user: trusted({ $ne: user }), leaving: null }
  for await (const other of model.find(others, { user: 1 }).lean()) {
    if (await isActive(other.user)) return true
  }
  return false
}

const abandonedMs = 60_000

// Removes the marks of a process that ended in between. A process that still runs finds its mark gone and stops.
async function clearAbandoned(model: MembershipModel, organization: string): Promise<void> {
  const before = Types.ObjectId.createFromTime(Math.floor((Date.now() - abandonedMs) / 1000))
  const filter = { organization, leaving: trusted({ $lt: before }) }
  await model.updateMany(filter, { $set: { leaving: null } }, majority)
}
