import { type Auth } from '../create-auth.ts'
import { listPersonalModels } from '../auth/storage/model-registry.ts'
import { ApiError } from '../errors/api-error.ts'
import { adminRole } from '../features/tenants.ts'
import { findRecordedValues } from '../resource/recorded-values.ts'
import { erasures } from './erasure-record.ts'
import { findModels, type UserData, type UserReference } from './find-models.ts'
import { listPersonalStores } from './personal-store.ts'
import { type Filter, ofUser, toUserIds } from './user-filter.ts'

/** One part of an erasure. */
export interface ErasureStep {
  /** Collection, or name of a store. */
  readonly collection: string
  /** The action on the documents. */
  readonly action: 'delete' | 'anonymize' | 'unset' | 'keep'
  /** The field that refers to the user; undefined where the whole document is about the user. */
  readonly path?: string | undefined
  /** Number of documents. */
  readonly documents: number
  /** Why they are kept. */
  readonly reason?: string | undefined
}

/** A part that prevents an erasure until it is decided. */
export interface OpenDecision {
  /** Collection of the documents. */
  readonly collection: string
  /** The field that refers to the user. */
  readonly path?: string | undefined
  /** Number of documents. */
  readonly documents: number
  /** Why it cannot be erased, and what to do. */
  readonly problem: string
}

/** The parts of an erasure, and its obstacles. */
export interface ErasurePlan {
  /** Id of the user. */
  readonly userId: string
  /** Whether an erasure of this user was interrupted; the next one completes it. */
  readonly started: boolean
  /** The parts, in their order; the account is the last one. */
  readonly steps: readonly ErasureStep[]
  /** The decisions that are missing; the erasure refuses before it changes anything. */
  readonly open: readonly OpenDecision[]
}

/**
 * Lists what `erasePerson` would do, and what prevents it, without changing anything.
 * @param auth - the authentication: `api.auth`
 * @param userId - id of the user
 * @returns the plan
 * @throws ApiError `not_found` when there is no such user
 * @example
 * ```ts
 * const { steps, open } = await planErasure(auth, userId)
 * ```
 */
export async function planErasure(auth: Auth, userId: string): Promise<ErasurePlan> {
  const user = await auth.users.findById(userId)
  const started = await erasures.isStarted(userId)
  if (!user && !started) throw new ApiError('not_found')
  const parts = await Promise.all(findModels().map((data) => planModel(data, userId)))
  return {
    userId,
    started,
    steps: [
      ...(await planStores(userId)),
      ...parts.flatMap(({ steps }) => steps),
      ...(await planFramework(userId)),
      ...(user ? [{ collection: 'users', action: 'delete', documents: 1 } as const] : []),
    ],
    open: [...parts.flatMap(({ open }) => open), ...(await findLastAdministrators(auth, userId))],
  }
}

type Part = Pick<ErasurePlan, 'steps' | 'open'>

async function planModel(data: UserData, userId: string): Promise<Part> {
  const steps = await planOwned(data, userId)
  const open = await findUnusableFields(data, userId)
  for (const reference of data.references) {
    const { collection, documents, path } = await countReference(data, reference, userId)
    if (documents === 0) continue
    if (reference.onErase) steps.push({ collection, path, documents, action: reference.onErase })
    else open.push({ collection, path, documents, problem: undecided(path) })
  }
  return { steps, open }
}

async function planStores(userId: string): Promise<ErasureStep[]> {
  const counted = await Promise.all(
    listPersonalStores().map(async ({ count, name }) => ({
      collection: name,
      action: 'delete' as const,
      documents: await count(userId),
    })),
  )
  return counted.filter(({ documents }) => documents > 0)
}

// Sessions, keys and the other parts of an account.
async function planFramework(userId: string): Promise<ErasureStep[]> {
  const counted = await Promise.all(
    listPersonalModels()
      .filter(({ isAccount }) => !isAccount)
      .map(async ({ model, user }) => {
        const filter = ofUser(model, user, userId)
        const documents = filter ? await model.countDocuments(filter) : 0
        return { collection: model.collection.name, action: 'delete' as const, documents }
      }),
  )
  return counted.filter(({ documents }) => documents > 0)
}

const undecided = (path: string): string =>
  `${path} is required. State references: { '${path}': 'keep' } in the plugin personalData, make the field optional, or change the documents.`

async function planOwned(
  { decision, model, owner }: UserData,
  userId: string,
): Promise<ErasureStep[]> {
  if (owner === undefined) return []
  const { onErase: action = 'delete', reason } = decision
  const filter = ofUser(model, owner, userId)
  const documents = filter ? await countAll(model, filter) : 0
  const { name: collection } = model.collection
  const records = await countRecords({ model, owner }, userId)
  return [
    ...(documents > 0
      ? [{ collection, action, documents, ...(reason !== undefined && { reason }) }]
      : []),
    ...(records > 0 && action !== 'keep'
      ? [
          {
            collection: `audit_entries of ${collection}`,
            action: 'anonymize' as const,
            documents: records,
          },
        ]
      : []),
  ]
}

async function countRecords(
  { model, owner }: { readonly model: UserData['model']; readonly owner: string },
  userId: string,
): Promise<number> {
  const values = findRecordedValues(model)
  const ids = values ? await values.findByValue(owner, toUserIds(userId)) : []
  return ids.length
}

// Required fields that `anonymize` cannot empty.
async function findUnusableFields(
  { decision, model, owner }: UserData,
  userId: string,
): Promise<OpenDecision[]> {
  const { fields = [] } = decision
  const filter = owner === undefined ? undefined : ofUser(model, owner, userId)
  const wrong = fields.filter((path) => {
    const type = model.schema.path(path)
    return !type || (type.isRequired === true && type.instance !== 'String')
  })
  if (wrong.length === 0 || !filter) return []
  const documents = await countAll(model, filter)
  const { name: collection } = model.collection
  return wrong.map((path) => ({
    collection,
    path,
    documents,
    problem: `${path} cannot be emptied: it is required and not text, or not in the schema.`,
  }))
}

async function countReference(
  { model }: UserData,
  { path }: UserReference,
  userId: string,
): Promise<{ collection: string; documents: number; path: string }> {
  const filter = ofUser(model, path, userId)
  const documents = filter ? await countAll(model, filter) : 0
  return { collection: model.collection.name, documents, path }
}

// With those that were deleted and are kept.
function countAll(model: UserData['model'], filter: Filter): Promise<number> {
  return model.countDocuments(filter).setOptions({ withDeleted: true })
}

// An organization must not be left without an administrator.
async function findLastAdministrators(auth: Auth, userId: string): Promise<OpenDecision[]> {
  const open: OpenDecision[] = []
  for (const { model, remove, user: field } of listPersonalModels()) {
    // Only memberships have conditions.
    if (!remove) continue
    const mine = model
      .find({ [field]: userId, roles: adminRole })
      .lean<{ organization: unknown }[]>()
    for (const { organization } of await mine) {
      const others = model.find({ organization, roles: adminRole }).lean<{ user: string }[]>()
      const ids = (await others).map(({ user }) => user).filter((id) => id !== userId)
      const users = await Promise.all(ids.map((id) => auth.users.findById(id)))
      if (users.some((user) => user?.disabled === false)) continue
      open.push({
        collection: model.collection.name,
        documents: 1,
        problem: `The user is the only administrator of the organization ${String(organization)}. Appoint another one, or remove the organization.`,
      })
    }
  }
  return open
}
