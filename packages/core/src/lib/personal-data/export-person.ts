import { type Auth } from '../create-auth.ts'
import { listPersonalModels, type PersonalModel } from '../auth/storage/model-registry.ts'
import { ApiError } from '../errors/api-error.ts'
import { isRecord, type Readable, toPlain } from '../json/plain.ts'
import { findRecordedValues } from '../resource/recorded-values.ts'
import { findUnselected, hasSecretName, matchesPath, type Path } from '../resource/secret-fields.ts'
import { findModels, type UserData } from './find-models.ts'
import { listPersonalStores } from './personal-store.ts'
import { ofUser } from './user-filter.ts'

/** One document of an export, as JSON. */
export interface PersonalDocument {
  /** Collection of the document, or name of the store. */
  readonly collection: string
  /**
   * How it is about the person: `account`, it is the account or a part of it; `owner`, it belongs to the person; `reference`, it
   * refers to the person; `activity`, it is a record of a change by the person.
   */
  readonly relation: 'account' | 'owner' | 'reference' | 'activity'
  /** The document without secrets; of a reference, the id and the field. */
  readonly document: unknown
}

/**
 * Reads everything that is stored about a person, one document after another: the account with sessions, keys and memberships, documents that
 * belong to the user, references to the user, and the entries of the audit trail by the user. Secrets, and fields with
 * `select: false`, are left out.
 * @param auth - the authentication: `api.auth`
 * @param userId - id of the user
 * @returns the documents
 * @throws ApiError `not_found` when there is no such user
 * @example
 * ```ts
 * for await (const line of exportPerson(auth, userId)) console.log(JSON.stringify(line))
 * ```
 */
export function exportPerson(auth: Auth, userId: string): AsyncGenerator<PersonalDocument> {
  return readPerson(auth, userId)
}

async function* readPerson(auth: Auth, userId: string): AsyncGenerator<PersonalDocument> {
  const user = await auth.users.findById(userId)
  if (!user) throw new ApiError('not_found')
  const { fields, revision: _revision, ...account } = user
  const own = withoutSecrets({ ...fields, ...account }, [], [])
  yield { collection: 'users', relation: 'account', document: toPlain(own) }
  for (const model of listPersonalModels()) yield* exportPart(model, userId)
  for (const data of findModels()) yield* exportModel(data, userId)
  for (const store of listPersonalStores()) {
    for await (const document of store.list(userId)) {
      yield { collection: store.name, relation: 'owner', document: toPlain(document) }
    }
  }
}

async function* exportPart(
  { fields, isAccount, model, user }: PersonalModel,
  userId: string,
): AsyncGenerator<PersonalDocument> {
  const filter = ofUser(model, user, userId)
  if (isAccount || fields.length === 0 || !filter) return
  const projection = Object.fromEntries([['_id', 0], ...fields.map((name) => [name, 1])])
  for await (const document of model.find(filter, projection).lean().cursor()) {
    yield { collection: model.collection.name, relation: 'account', document: toPlain(document) }
  }
}

async function* exportModel(data: UserData, userId: string): AsyncGenerator<PersonalDocument> {
  const { model, owner, references } = data
  const { name: collection } = model.collection
  const filter = owner === undefined ? undefined : ofUser(model, owner, userId)
  if (filter) {
    const hidden = findUnselected(model.schema)
    const found = model.find(filter).setOptions({ withDeleted: true }).lean().cursor()
    for await (const document of found) {
      const shown = withoutSecrets(Object(document), [], hidden)
      yield { collection, relation: 'owner', document: toPlain(shown) }
    }
  }
  for (const { path } of references) {
    const refers = ofUser(model, path, userId)
    if (!refers) continue
    const found = model.find(refers, { _id: 1 }).setOptions({ withDeleted: true }).lean().cursor()
    for await (const { _id: id } of found) {
      yield { collection, relation: 'reference', document: { id: String(id), path } }
    }
  }
  const entries = findRecordedValues(model)?.listBy(userId)
  if (!entries) return
  for await (const entry of entries) {
    yield { collection: 'audit_entries', relation: 'activity', document: toPlain(entry) }
  }
}

function withoutSecrets(value: unknown, path: Path, hidden: readonly Path[]): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, path, hidden))
  if (!isRecord(value) || value instanceof Map || Buffer.isBuffer(value)) return value
  const source: Readable = value
  const members = Object.entries(source)
    .map(([name, member]) => ({ member, path: [...path, name] }))
    .filter(
      (one) =>
        !hasSecretName(one.path) && !hidden.some((pattern) => matchesPath(pattern, one.path)),
    )
  return Object.fromEntries(
    members.map((one) => [one.path.at(-1), withoutSecrets(one.member, one.path, hidden)]),
  )
}
