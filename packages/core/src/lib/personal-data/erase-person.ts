import { Types } from 'mongoose'
import { type Auth } from '../create-auth.ts'
import { listPersonalModels, type PersonalModel } from '../auth/storage/model-registry.ts'
import { ApiError } from '../errors/api-error.ts'
import { findRecordedValues } from '../resource/recorded-values.ts'
import { erasures } from './erasure-record.ts'
import { findModels, type UserData, type UserReference } from './find-models.ts'
import {
  type ErasurePlan,
  type ErasureStep,
  type OpenDecision,
  planErasure,
} from './plan-erasure.ts'
import { listPersonalStores } from './personal-store.ts'
import { type Filter, ofUser, toUserIds } from './user-filter.ts'

/** An erasure that has to wait for a decision; nothing was changed. */
export class ErasureRefusedError extends Error {
  override readonly name = 'ErasureRefusedError'
  /** The decisions that are missing. */
  readonly open: readonly OpenDecision[]

  /**
   * @param open - what has to be decided
   */
  constructor(open: readonly OpenDecision[]) {
    const lines = open.map(({ collection, problem }) => `${collection}: ${problem}`)
    super(`The user cannot be erased yet. ${lines.join(' ')}`)
    this.open = open
  }
}

/** An erasure that has left something: the next call goes on with it. */
export class ErasureIncompleteError extends Error {
  override readonly name = 'ErasureIncompleteError'
  /** The parts that are left. */
  readonly left: readonly ErasureStep[]

  /**
   * @param left - the parts that are left
   */
  constructor(left: readonly ErasureStep[]) {
    const parts = left.map(({ action, collection, documents, path }) =>
      [collection, ...(path === undefined ? [] : [path]), `${action} ${documents}`].join(' '),
    )
    super(`The erasure is not complete. Repeat it. What is left: ${parts.join(', ')}.`)
    this.left = left
  }
}

/**
 * Erases a person: documents that belong to the user are deleted, anonymized or kept as their models state; fields of other documents that
 * refer to the user are cleared; values in the audit trail are erased; memberships, sessions, keys, factors and at last the account are
 * removed. The account is disabled first. Stores of `addPersonalStore` come before the documents. An erasure that was interrupted is
 * completed by the next call.
 * @param auth - the authentication: `api.auth`
 * @param userId - id of the user
 * @returns what was planned
 * @throws ApiError `not_found` when there is no such user, `last_administrator` for the only administrator of the service
 * @throws ErasureRefusedError when something has to be decided first; nothing was changed then
 * @throws ErasureIncompleteError when something is left at the end, such as files that a store has not removed
 * @example
 * ```ts
 * await erasePerson(auth, userId)
 * ```
 */
export async function erasePerson(auth: Auth, userId: string): Promise<ErasurePlan> {
  const plan = await planErasure(auth, userId)
  if (plan.open.length > 0) throw new ErasureRefusedError(plan.open)
  // Its requests must not add anything in the meantime; the only administrator is refused here.
  await auth.users.update(userId, { disabled: true })
  await erasures.start(userId)
  // First what may still refuse: an organization must not lose its last administrator.
  for (const part of listPersonalModels()) if (part.remove) await erasePart(part, userId)
  await eraseData(userId)
  for (const part of listPersonalModels()) await erasePart(part, userId)
  await auth.removeUser(userId)
  // Requests that had begun before.
  await eraseData(userId)
  const { steps } = await planErasure(auth, userId)
  const left = steps.filter(({ action }) => action !== 'keep')
  if (left.length > 0) throw new ErasureIncompleteError(left)
  await erasures.finish(userId)
  return plan
}

// The stores first: the documents may lead to what they keep.
async function eraseData(userId: string): Promise<void> {
  for (const store of listPersonalStores()) await store.erase(userId)
  await eraseModels(userId)
}

async function erasePart(
  { isAccount, model, remove, user }: PersonalModel,
  userId: string,
): Promise<void> {
  const filter = isAccount ? undefined : ofUser(model, user, userId)
  if (!filter) return
  if (!remove) {
    await model.deleteMany(filter)
    return
  }
  for (const document of await model.find(filter).lean()) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a document of the model of the function
    await remove(document as never)
  }
}

async function eraseModels(userId: string): Promise<void> {
  for (const data of findModels()) {
    if (data.owner !== undefined) await eraseOwned(data, data.owner, userId)
    for (const reference of data.references) {
      if (reference.onErase === 'unset') await clear(data, reference, userId)
    }
  }
}

async function eraseOwned(
  { decision, model }: UserData,
  owner: string,
  userId: string,
): Promise<void> {
  const { fields = [], onErase = 'delete' } = decision
  if (onErase === 'keep') return
  const anonymized = onErase === 'anonymize' ? [...fields, owner] : undefined
  const recorded = findRecordedValues(model)
  for (;;) {
    const ids = await findOwned(model, ofUser(model, owner, userId))
    if (ids.length === 0) break
    // Before the documents: they lead to the values.
    await recorded?.erase(ids.map(String), anonymized)
    const batch = Object({ _id: { $in: ids } })
    if (anonymized) await collectionOf(model).updateMany(batch, toAnonymous(model, anonymized))
    else await collectionOf(model).deleteMany(batch)
  }
  // Of documents that were deleted before, and of those that had another owner since.
  const former = (await recorded?.findByValue(owner, toUserIds(userId))) ?? []
  await recorded?.erase(former, anonymized)
}

const batchSize = 100

// The ids of some of the documents that are left.
async function findOwned(
  model: UserData['model'],
  filter: Filter | undefined,
): Promise<readonly unknown[]> {
  if (!filter) return []
  const options = { limit: batchSize, withDeleted: true }
  const found = await model.find(filter, { _id: 1 }, options).lean<{ _id: unknown }[]>()
  return found.map(({ _id: id }) => id)
}

// The driver's own collection: no hook, validator or immutable field prevents the change.
function collectionOf(model: UserData['model']): UserData['model']['collection'] {
  return model.collection
}

// Belongs to no one.
const noUser = new Types.ObjectId('000000000000000000000000')

function toAnonymous(model: UserData['model'], paths: readonly string[]): Filter {
  const values = paths.map((path) => {
    const type = model.schema.path(path)
    if (type?.isRequired !== true) return [path, null]
    return [path, type.instance === 'ObjectId' ? noUser : 'erased']
  })
  return { $set: Object.fromEntries(values), ...toVersion(model) }
}

function toVersion(model: UserData['model']): Filter {
  const key: unknown = model.schema.get('versionKey')
  return typeof key === 'string' ? { $inc: { [key]: 1 } } : {}
}

async function clear(
  { model }: UserData,
  { isArray, list, path }: UserReference,
  userId: string,
): Promise<void> {
  const filter = ofUser(model, path, userId)
  if (!filter) return
  const value = Object(filter[path]).$eq ?? filter[path]
  const version = toVersion(model)
  const stored = { [path]: value }
  if (list === undefined) {
    const change = isArray ? { $pull: { [path]: value } } : { $set: { [path]: null } }
    await collectionOf(model).updateMany(stored, { ...change, ...version })
    return
  }
  const inItem = path.slice(list.length + 1)
  const target = `${list}.$[item].${inItem}`
  const change = isArray ? { $pull: { [target]: value } } : { $set: { [target]: null } }
  const arrayFilters = [{ [`item.${inItem}`]: value }]
  await collectionOf(model).updateMany(stored, { ...change, ...version }, { arrayFilters })
}

// For a route: what to decide is for the operators.
export function toRouteError(error: unknown): unknown {
  if (!(error instanceof ErasureRefusedError)) return error
  return new ApiError('conflict', {
    detail:
      'Other data depends on the account. It has to be settled before the account can be erased.',
    cause: error,
  })
}
