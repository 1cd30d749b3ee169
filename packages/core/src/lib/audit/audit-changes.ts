import { trackRequests } from '../logging/request-context.ts'
import { type AnyModel } from '../resource/model.ts'
import { type Change, recordChanges } from '../resource/record-changes.ts'
import { setRecordedValues } from '../resource/recorded-values.ts'
import { keepsDeleted } from '../resource/soft-delete.ts'
import { appendEntry } from './append-entry.ts'
import { readAuditKeys } from './audit-key.ts'
import { type AuditOptions, parseKeep } from './audit-options.ts'
import { type AuditAction, openAuditStore, type StoredChange } from './audit-store.ts'
import { addAudited, type Audited, findAudited } from './audited.ts'
import { compareDocuments, type FieldChange } from './compare-documents.ts'
import { createRecordedValues } from './erase-values.ts'
import { createMasks } from './masks.ts'
import { toStoredValue } from './stored-value.ts'

/**
 * Records each change of a document of a model that `createDocument`, `replaceDocument`, `patchDocument`, `deleteDocument` and
 * `restoreDocument` of `@create-api/core/resource` make: who made it, when, and the changed fields before and after. Change and entry
 * are one transaction: the one that surrounds the call, or a new one, so that the database must be a replica set or the embedded one.
 * Other calls of Mongoose are not recorded. The entries of a document are a chain of hashes, which `api audit verify` checks; the
 * environment variable `AUDIT_SECRET`, or else `JWT_SECRET`, signs them.
 * @param model - the model
 * @param options - how long entries are kept, and fields that are masked or left out
 * @throws TypeError when an option or `AUDIT_SECRET` is not valid
 * @throws Error when the model is audited already
 * @example
 * ```ts
 * auditChanges(PostModel, { keep: '2y', mask: ['salary'] })
 * ```
 */
export function auditChanges<T>(model: AnyModel<T>, options: AuditOptions = {}): void {
  const { name: collection } = model.collection
  const known = findAudited(model)
  if (known) throw new Error(`${model.modelName} is audited already: call auditChanges once.`)
  const keep = parseKeep(options.keep)
  const keys = readAuditKeys()
  const masks = createMasks(model.schema, options)
  const store = openAuditStore(model.db)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of the model only what all have is used
  const own: Audited = { model: model as AnyModel<unknown>, store, keys, keep }
  addAudited(own)
  setRecordedValues(model, createRecordedValues(own))
  trackRequests()
  recordChanges(model, async (change, session) => {
    const { after, before } = change
    const changes = compareDocuments(before, after, masks).map(toStoredChange)
    if (changes.length === 0 && change.kind === 'changed') return
    const { __v: version, _id: id } = Object(after ?? before)
    const entry = { action: toAction(model, change), changes, id, collection }
    const counted = typeof version === 'number' ? { version } : {}
    await appendEntry({ store, keys, session }, { ...entry, ...counted })
  })
}

function toStoredChange({ after, before, path }: FieldChange): StoredChange {
  const values = { before: toStoredValue(before), after: toStoredValue(after) }
  return {
    path,
    ...(values.before && { before: values.before }),
    ...(values.after && { after: values.after }),
  }
}

function toAction<T>(model: AnyModel<T>, { after, before, kind }: Change<object>): AuditAction {
  const isRestored =
    kind === 'changed' &&
    keepsDeleted(model) &&
    Object(before).deletedAt != null &&
    Object(after).deletedAt == null
  return isRestored ? 'restored' : kind
}
