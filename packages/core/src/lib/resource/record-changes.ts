import { type ClientSession } from 'mongoose'
import { runInTransaction } from '../database/transactions.ts'
import { type AnyModel } from './model.ts'
import { type StoredDocument } from './versioned.ts'

/** A change of one document: before it, after it, or both. */
export interface Change<Stored> {
  readonly kind: 'created' | 'changed' | 'deleted'
  readonly before?: Stored | undefined
  readonly after?: Stored | undefined
}

type Recorder = (change: Change<unknown>, session: ClientSession) => Promise<void>

const recorders = new WeakMap<object, Recorder[]>()

// Calls a function for each change that the functions of this folder make, in the transaction of the change.
export function recordChanges<T>(
  model: AnyModel<T>,
  record: (change: Change<StoredDocument<T>>, session: ClientSession) => Promise<void>,
): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- called with changes of this model only
  recorders.set(model, [...(recorders.get(model) ?? []), record as Recorder])
}

export function isRecorded<T>(model: AnyModel<T>): boolean {
  return recorders.has(model)
}

/** What a write returns, and the change that it made; undefined if it made none. */
export interface Recorded<T, Result> {
  readonly result: Result
  readonly change: Change<StoredDocument<T>> | undefined
}

// Runs a write and the recorders of its change in one transaction.
export function writeRecorded<T, Result>(
  model: AnyModel<T>,
  write: (session: ClientSession) => Promise<Recorded<T, Result>>,
): Promise<Result> {
  return runInTransaction(model.db, async (session) => {
    const { change, result } = await write(session)
    for (const record of change ? (recorders.get(model) ?? []) : []) {
      if (change) await record(change, session)
    }
    return result
  })
}
