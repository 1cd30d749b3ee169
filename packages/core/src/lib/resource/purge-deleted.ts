import { type QueryFilter, trusted } from 'mongoose'
import { parseDuration } from '../options/parse-duration.ts'
import { type AnyModel } from './model.ts'
import { requireSoftDelete } from './soft-delete.ts'

/** Options for {@link purgeDeleted}. */
export interface PurgeOptions {
  /** How long deleted documents are kept: `30d`, `12h`, or a number of seconds; at most `400d`. */
  readonly olderThan: string | number
}

// Each operation has a time limit.
const batchSize = 1000

/**
 * Permanently removes the documents that were deleted longer ago than a duration. Run it regularly, such as
 * once a day, in a script with `withDatabase`; several processes may run it at the same time.
 * @param model - the model, with the plugin `softDelete`
 * @param options - the age
 * @returns how many documents it removed
 * @throws TypeError when the age is not a duration
 * @throws Error when the model lacks the plugin
 * @example
 * ```ts
 * const count = await withDatabase(api, () => purgeDeleted(PostModel, { olderThan: '30d' }))
 * ```
 */
export async function purgeDeleted<T>(model: AnyModel<T>, options: PurgeOptions): Promise<number> {
  requireSoftDelete(model)
  const { olderThan } = options
  const before = new Date(Date.now() - parseDuration(olderThan, 'olderThan'))
  const expired: QueryFilter<object> = { deletedAt: trusted({ $lte: before }) }
  const query = { limit: batchSize, sort: { deletedAt: 1 }, withDeleted: true } as const
  for (let count = 0; ;) {
    const found = await model.find(expired, { _id: 1 }, query).lean<{ _id: unknown }[]>()
    if (found.length === 0) return count
    const ids = found.map(({ _id: id }) => id)
    // A document may have been restored in the meantime.
    const batch = { ...expired, _id: trusted({ $in: ids }) }
    const { deletedCount } = await model.deleteMany(batch, { withDeleted: true })
    count += deletedCount
  }
}
