import { type Audited, listAudited } from './audited.ts'
import { toSealed } from './audit-store.ts'
import { readChain } from './verify-audit.ts'

/** The result of {@link purgeAudit}. */
export interface PurgedAudit {
  /** Number of entries that were removed. */
  readonly removed: number
  /** Documents with old entries whose chain is broken: `posts/65f0…`. Their entries stay. */
  readonly broken: readonly string[]
}

/**
 * Removes the entries that are older than the `keep` of their model. The chain of a document then begins behind them, which its head
 * records, so that it can still be verified. Chains that are broken stay as they are. Run it regularly, such as once a day, in a job or
 * by `api audit purge`; several processes may run it at the same time.
 * @returns how many entries it removed, and which chains are broken
 * @example
 * ```ts
 * const { removed } = await withDatabase(api, () => purgeAudit())
 * ```
 */
export async function purgeAudit(): Promise<PurgedAudit> {
  let removed = 0
  const broken: string[] = []
  for (const audited of listAudited()) {
    if (audited.keep === undefined) continue
    const before = new Date(Date.now() - audited.keep)
    for await (const document of listExpired(audited, before)) {
      const count = await purgeDocument(audited, document, before)
      if (count === undefined) broken.push(document)
      else removed += count
    }
  }
  return { removed, broken }
}

async function* listExpired({ model, store }: Audited, before: Date): AsyncGenerator<string> {
  const groups = store.entries.aggregate<{ _id: string }>(
    [
      { $match: { collection: model.collection.name, at: { $lt: before } } },
      { $group: { _id: '$document' } },
    ],
    { allowDiskUse: true },
  )
  for await (const { _id } of groups) yield _id
}

// In one transaction with the record of it: until then, verification would report them as missing.
async function purgeDocument(
  { keys, store }: Audited,
  document: string,
  before: Date,
): Promise<number | undefined> {
  return store.connection.transaction(async (session) => {
    const { faults } = await readChain(store, document, keys, session)
    const head = await store.heads.findOne({ _id: document }, { session })
    if (faults.length > 0 || !head) return undefined
    // Times of the database may go back a little, so the first entry that is kept decides.
    const kept = await store.entries.findOne(
      { document, at: { $gte: before } },
      { sort: { sequence: 1 }, session },
    )
    const sequence = kept?.sequence ?? head.sequence + 1
    const older = { document, sequence: { $lt: sequence } }
    const { deletedCount } = await store.entries.deleteMany(older, { session })
    if (!kept) {
      await store.heads.deleteOne({ _id: document }, { session })
      return deletedCount
    }
    const sealed = toSealed(keys.current, { ...head, first: { sequence, previous: kept.previous } })
    await store.heads.replaceOne({ _id: document }, sealed, { session })
    return deletedCount
  })
}
