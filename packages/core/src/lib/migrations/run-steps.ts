import { type ClientSession, type mongo } from 'mongoose'
import { isDuplicateKey, toServerCode } from '../errors/from-database-error.ts'
import {
  type BatchOptions,
  type DeclaredStep,
  type DocumentChange,
  type IndexKeys,
  type MigrationStep,
} from './define-migration.ts'
import { type Ledger, type MigrationRecord } from './ledger.ts'
import { type HeldLock } from './lock.ts'
import { MigrationError } from './migration-error.ts'

/** How far a migration is. */
export interface MigrationProgress {
  /** Name of the migration. */
  readonly name: string
  /** Number of the step under way, from 1, and of all steps. */
  readonly step: number
  readonly steps: number
  /** A description of the step. */
  readonly description: string
  /** Documents of this step that are done, and of all that were found when the run began. */
  readonly documents: number
  readonly total: number
  /** Estimate of the rest of this step in milliseconds, from its pace so far. */
  readonly remainingMs: number
}

export interface StepRun {
  readonly db: mongo.Db
  readonly lock: HeldLock
  readonly ledger: Ledger
  readonly name: string
  readonly steps: readonly MigrationStep[]
  /** The position at which the run begins: that of a run that was killed, or the beginning. */
  readonly from: Pick<MigrationRecord, 'step' | 'position' | 'seen'>
  /**
   * Completes the record in the same write as the last step.
   * @param session - the transaction
   * @param elapsedMs - milliseconds to add to the duration
   */
  readonly finish: (session: ClientSession | undefined, elapsedMs: number) => Promise<void>
  readonly onProgress: (progress: MigrationProgress) => void
}

// Returns how many documents its batches have changed.
export async function runSteps(run: StepRun): Promise<number> {
  const lap = createLap()
  let documents = 0
  for (const [index, step] of run.steps.entries()) {
    if (index < run.from.step) continue
    const { position, seen = 0 } = index === run.from.step ? run.from : {}
    const complete = (session: ClientSession | undefined): Promise<void> =>
      index === run.steps.length - 1
        ? run.finish(session, lap())
        : run.ledger.write(run.name, toNextStep(index + 1, lap()), session)
    documents += await runStep(step, { ...run, index, position, seen, lap, complete })
  }
  return documents
}

interface OneStep extends StepRun {
  readonly index: number
  readonly position: unknown
  /** Documents up to the position. */
  readonly seen: number
  readonly lap: () => number
  /** Stores that the step is done. */
  readonly complete: (session: ClientSession | undefined) => Promise<void>
}

async function runStep(step: MigrationStep, run: OneStep): Promise<number> {
  const { complete, db, lock } = run
  const { signal } = lock
  if (typeof step === 'function') {
    await lock.fenced(async (session) => {
      await step({ db, session, signal })
      await complete(session)
    })
    return 0
  }
  let documents = 0
  if (step.kind === 'batches') documents = await runBatches(step.options, run)
  else {
    await lock.check()
    if (step.kind === 'outside') await step.run({ db, session: undefined, signal })
    else await changeIndex(db, step)
  }
  await lock.fenced(complete)
  return documents
}

function toNextStep(step: number, elapsedMs: number): mongo.UpdateFilter<MigrationRecord> {
  return { $set: { step }, $unset: { position: '', seen: '' }, $inc: { durationMs: elapsedMs } }
}

async function runBatches(options: BatchOptions, run: OneStep): Promise<number> {
  const { db, ledger, lap, lock, name, position } = run
  const collection = db.collection(options.collection)
  const filter = filterRemaining(options.filter ?? {}, position)
  const report = await startProgress(collection, filter, run)
  const { size = 500 } = options
  const ids = collection
    .find(filter, { projection: { _id: 1 }, hint: { _id: 1 }, batchSize: size })
    .sort({ _id: 1 })
    .map(({ _id }): unknown => _id)
  let changed = 0
  let { seen } = run
  for await (const batch of inGroups(ids, size)) {
    const elapsed = lap()
    changed += await lock.fenced(async (session) => {
      const documents = await changeBatch(collection, options, { batch, seen, session })
      const change: mongo.UpdateFilter<MigrationRecord> = {
        $set: { position: batch.at(-1), seen: seen + batch.length },
        $inc: { documents, durationMs: elapsed },
      }
      await ledger.write(name, change, session)
      return documents
    })
    seen += batch.length
    report(batch.length)
  }
  return changed
}

// The types of `_id` can differ, so that `$gt` in a filter would leave out those of other types.
function filterRemaining(
  filter: mongo.Filter<mongo.Document>,
  position: unknown,
): mongo.Filter<mongo.Document> {
  if (position === undefined) return filter
  return { $and: [filter, { $expr: { $gt: ['$_id', { $literal: position }] } }] }
}

async function startProgress(
  collection: mongo.Collection,
  filter: mongo.Filter<mongo.Document>,
  { index, name, onProgress, steps }: OneStep,
): Promise<(count: number) => void> {
  const total = await collection.countDocuments(filter)
  const description = describeStep(steps[index])
  const startedAt = performance.now()
  let documents = 0
  return (count) => {
    documents += count
    const pace = (performance.now() - startedAt) / documents
    const remainingMs = Math.max(0, Math.round(pace * (total - documents)))
    onProgress({
      name,
      step: index + 1,
      steps: steps.length,
      description,
      documents,
      total,
      remainingMs,
    })
  }
}

interface Batch {
  /** Ids. */
  readonly batch: readonly unknown[]
  /** Documents of the step before it. */
  readonly seen: number
  readonly session: ClientSession | undefined
}

async function changeBatch(
  collection: mongo.Collection,
  options: DocumentChange & Pick<BatchOptions, 'filter'>,
  { batch, seen, session }: Batch,
): Promise<number> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ids of any type
  const ids = batch as mongo.ObjectId[]
  const filter: mongo.Filter<mongo.Document> = {
    $and: [{ _id: { $in: ids } }, options.filter ?? {}],
  }
  if ('update' in options) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the driver does not change it
    const update = options.update as mongo.UpdateFilter<mongo.Document> | mongo.Document[]
    const { modifiedCount } = await collection.updateMany(filter, update, { session })
    return modifiedCount
  }
  const documents = await collection.find(filter, { session }).sort({ _id: 1 }).toArray()
  const updates = documents.flatMap((document, index) => {
    const update = options.change(document, seen + index)
    return update ? [{ updateOne: { filter: { _id: document._id }, update } }] : []
  })
  if (updates.length === 0) return 0
  const { modifiedCount } = await collection.bulkWrite(updates, { session })
  return modifiedCount
}

async function* inGroups(items: AsyncIterable<unknown>, size: number): AsyncGenerator<unknown[]> {
  let group: unknown[] = []
  for await (const item of items) {
    group.push(item)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

type IndexStep = Extract<DeclaredStep, { kind: `${string}Index` }>

async function changeIndex(db: mongo.Db, step: IndexStep): Promise<void> {
  const collection = db.collection(step.collection)
  if (step.kind === 'buildIndex') {
    await build(db, step)
    return
  }
  if (!(await findIndex(collection, step.index))) {
    if (step.kind === 'dropIndex') return
    throw new MigrationError(
      'migration_failed',
      `${step.collection} has no index ${step.index}. List them: db.${step.collection}.getIndexes()`,
    )
  }
  if (step.kind === 'dropIndex') await collection.dropIndex(step.index)
  else await setHidden(db, step.collection, { name: step.index, hidden: step.kind === 'hideIndex' })
}

async function build(
  db: mongo.Db,
  { collection, keys, options }: Extract<DeclaredStep, { kind: 'buildIndex' }>,
): Promise<void> {
  const name = await createHidden(db.collection(collection), keys, options)
  if (options.hidden !== true) await setHidden(db, collection, { name, hidden: false })
}

async function createHidden(
  collection: mongo.Collection,
  keys: IndexKeys,
  options: mongo.CreateIndexesOptions,
): Promise<string> {
  try {
    // A run that was killed may have built it.
    const present = await findIndex(collection, options.name ?? formatIndexName(keys))
    const { hidden: _hidden, ...others } = options
    const isVisible = present && !present.hidden
    return await collection.createIndex(keys, { ...others, ...(!isVisible && { hidden: true }) })
  } catch (cause) {
    if (!isDuplicateKey(cause)) throw cause
    throw new MigrationError(
      'migration_failed',
      `The unique index on ${Object.keys(keys).join(', ')} of ${collection.collectionName} cannot be built, because several documents have the same values: ${cause.message}. Change them in a step before it.`,
      { cause },
    )
  }
}

function formatIndexName(keys: IndexKeys): string {
  return Object.entries(keys).flat().join('_')
}

async function findIndex(
  collection: mongo.Collection,
  name: string,
): Promise<mongo.IndexDescriptionInfo | undefined> {
  const indexes = await collection.indexes().catch(ignoreMissing)
  return indexes.find((index) => index.name === name)
}

const namespaceNotFound = 26

function ignoreMissing(error: unknown): [] {
  if (toServerCode(error) === namespaceNotFound) return []
  throw error
}

async function setHidden(
  db: mongo.Db,
  collection: string,
  index: { readonly name: string; readonly hidden: boolean },
): Promise<void> {
  await db.command({ collMod: collection, index })
}

/** The description of a step, and the number of documents that it concerns. */
export interface PlannedStep {
  readonly description: string
  /** Documents that it changes or reads; undefined for code. */
  readonly documents: number | undefined
}

// Counts what a step would change now, without changing anything.
export async function planStep(
  db: mongo.Db,
  step: MigrationStep,
  position: unknown,
): Promise<PlannedStep> {
  const description = describeStep(step)
  if (typeof step === 'function' || step.kind === 'outside') {
    return { description, documents: undefined }
  }
  if (step.kind === 'batches') {
    const filter = filterRemaining(step.options.filter ?? {}, position)
    return {
      description,
      documents: await db.collection(step.options.collection).countDocuments(filter),
    }
  }
  if (step.kind !== 'buildIndex') return { description, documents: 0 }
  return { description, documents: await db.collection(step.collection).estimatedDocumentCount() }
}

export function describeStep(step: MigrationStep | undefined): string {
  if (typeof step === 'function' || step === undefined) return 'run code in a transaction'
  switch (step.kind) {
    case 'outside':
      return 'run code outside transactions'
    case 'batches':
      return `update ${step.options.collection} in batches`
    case 'buildIndex':
      return `build index ${step.options.name ?? formatIndexName(step.keys)} of ${step.collection}`
    case 'dropIndex':
      return `drop index ${step.index} of ${step.collection}`
    default:
      return `${step.kind === 'hideIndex' ? 'hide' : 'show'} index ${step.index} of ${step.collection}`
  }
}

// Milliseconds since the last call.
function createLap(): () => number {
  let last = performance.now()
  return () => {
    const now = performance.now()
    const elapsed = Math.round(now - last)
    last = now
    return elapsed
  }
}
