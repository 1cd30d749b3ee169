import { type ClientSession, type mongo } from 'mongoose'

/** The argument of a migration step: the database, and the transaction that the step runs in. */
export interface MigrationContext {
  /** The database; its collections are those of the driver, because the models describe newer documents. */
  readonly db: mongo.Db
  /**
   * The transaction; pass it to each operation: `collection.updateOne(filter, update, { session })`. Undefined
   * outside transactions, and on a server that has none.
   */
  readonly session: ClientSession | undefined
  /** Aborted when the run has to stop: it was interrupted, or another process holds the lock. */
  readonly signal: AbortSignal
}

/**
 * The code of a step. It runs in a transaction, and again from its beginning when the transaction conflicts
 * with another one; on a server without transactions, also after a run that was killed.
 */
export type MigrationFunction = (context: MigrationContext) => Promise<void> | void

/** The change of the documents of a batch: one update for all, or a function that computes the update of each. */
export type DocumentChange =
  | {
      /** Update operators, or an aggregation pipeline that uses the fields of each document. */
      readonly update: mongo.UpdateFilter<mongo.Document> | readonly mongo.Document[]
    }
  | {
      /**
       * Returns the update of a document; undefined leaves it as it is. `index` counts the documents of the step from 0,
       * also across a run that was killed.
       */
      readonly change: (
        document: mongo.Document,
        index: number,
      ) => mongo.UpdateFilter<mongo.Document> | undefined
    }

/** Options of {@link updateInBatches}. */
export type BatchOptions = DocumentChange & {
  /** Name of the collection. */
  readonly collection: string
  /**
   * The documents to change. It should not match documents that are changed already.
   * @default {}
   */
  readonly filter?: mongo.Filter<mongo.Document> | undefined
  /**
   * Documents in a batch, which is one transaction.
   * @default 500
   */
  readonly size?: number | undefined
}

/** Keys of an index: `{ owner: 1, createdAt: -1 }`. */
export type IndexKeys = Readonly<Record<string, 1 | -1 | 'text' | 'hashed' | '2d' | '2dsphere'>>

/** Options of {@link buildIndex}: those of the driver. */
export interface BuildIndexOptions extends Omit<mongo.CreateIndexesOptions, 'session'> {
  /**
   * Whether queries do not use the index until `showIndex`; unique indexes apply from the start.
   * @default false
   */
  hidden?: boolean
}

interface IndexOf {
  readonly collection: string
  /** Name of the index. */
  readonly index: string
}

/** A step of a migration, created by one of the functions beside {@link defineMigration}. */
export type DeclaredStep =
  | { readonly kind: 'outside'; readonly run: MigrationFunction }
  | { readonly kind: 'batches'; readonly options: BatchOptions }
  | {
      readonly kind: 'buildIndex'
      readonly collection: string
      readonly keys: IndexKeys
      readonly options: BuildIndexOptions
    }
  | (IndexOf & { readonly kind: 'dropIndex' | 'hideIndex' | 'showIndex' })

/**
 * A step of a migration: code, or the result of a function such as `updateInBatches` or
 * `buildIndex`.
 */
export type MigrationStep = MigrationFunction | DeclaredStep

/** The argument of {@link defineMigration}. */
export interface MigrationDefinition {
  /** One step, or several that are run in this order; a run that was killed continues with the step it was in. */
  readonly up: MigrationStep | readonly MigrationStep[]
  /**
   * The steps that revert `up`.
   * @default undefined: there is none
   */
  readonly down?: MigrationStep | readonly MigrationStep[] | undefined
}

const mark = Symbol.for('@create-api/core/migration')

/** A migration: the default export of a file in `migrations/`. */
export interface Migration {
  /** Steps that apply it. */
  readonly up: readonly MigrationStep[]
  /** Steps that revert it, if it can be reverted. */
  readonly down: readonly MigrationStep[] | undefined
}

/**
 * Defines a migration, the default export of a file in `migrations/`.
 * @param definition - the steps of `up`, and of `down` if the migration can be reverted
 * @returns the migration
 * @throws TypeError when `up` or `down` contains anything but steps
 * @example
 * ```ts
 * export default defineMigration({
 *   up: updateInBatches({
 *     collection: 'posts',
 *     filter: { price: null },
 *     update: { $set: { price: 1 } },
 *   }),
 *   down: updateInBatches({ collection: 'posts', update: { $unset: { price: '' } } }),
 * })
 * ```
 */
export function defineMigration(definition: MigrationDefinition): Migration {
  const { down, up, ...others } = definition
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    throw new TypeError(`defineMigration() has no option ${unknown}. Known: up, down.`)
  }
  const migration = { up: toSteps(up, 'up'), down: down && toSteps(down, 'down') }
  return Object.defineProperty(migration, mark, { value: true })
}

// A migration can be created by any copy of this package.
export function isMigration(value: unknown): value is Migration {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, mark)
}

/**
 * Creates a step that changes many documents, in batches in the order of `_id`. Each batch and the position
 * after it are one transaction, so a run that was killed continues after its last batch. On a server without
 * transactions the last batch may be repeated.
 * @param options - the documents and their change
 * @returns the step
 */
export function updateInBatches(options: BatchOptions): DeclaredStep {
  const { size = 500 } = options
  if (!Number.isInteger(size) || size < 1 || size > 10_000) {
    throw new TypeError('updateInBatches: size must be a whole number from 1 to 10000')
  }
  return { kind: 'batches', options }
}

/**
 * Creates a step that builds an index. It is hidden from queries until it is complete.
 * @param collection - name of the collection
 * @param keys - fields and their order
 * @param options - those of the driver; `name` is derived from the keys by default
 * @returns the step
 */
export function buildIndex(
  collection: string,
  keys: IndexKeys,
  options: BuildIndexOptions = {},
): DeclaredStep {
  return { kind: 'buildIndex', collection, keys, options }
}

/**
 * Creates a step that hides an index from queries, to see whether anything needs it before it is dropped. It is
 * still maintained, and a unique one still applies.
 * @param collection - name of the collection
 * @param index - name of the index
 * @returns the step
 */
export function hideIndex(collection: string, index: string): DeclaredStep {
  return { kind: 'hideIndex', collection, index }
}

/**
 * Creates a step that lets queries use a hidden index again.
 * @param collection - name of the collection
 * @param index - name of the index
 * @returns the step
 */
export function showIndex(collection: string, index: string): DeclaredStep {
  return { kind: 'showIndex', collection, index }
}

/**
 * Creates a step that drops an index, if there is one with this name.
 * @param collection - name of the collection
 * @param index - name of the index
 * @returns the step
 */
export function dropIndex(collection: string, index: string): DeclaredStep {
  return { kind: 'dropIndex', collection, index }
}

/**
 * Creates a step whose code cannot run in a transaction, such as code that creates collections or runs longer
 * than the 60 s that MongoDB allows a transaction. A run that was killed repeats it from its beginning.
 * @param run - the code; repeating it must be harmless
 * @returns the step
 */
export function outsideTransaction(run: MigrationFunction): DeclaredStep {
  return { kind: 'outside', run }
}

function toSteps(
  given: MigrationStep | readonly MigrationStep[],
  name: string,
): readonly MigrationStep[] {
  const steps = Array.isArray(given) ? given : [given]
  if (steps.every((step) => typeof step === 'function' || (step && 'kind' in step))) return steps
  throw new TypeError(
    `defineMigration: ${name} must be a function, updateInBatches(…), buildIndex(…) or a list of these`,
  )
}
