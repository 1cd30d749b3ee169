import { type AnyModel } from './model.ts'

/** Values of documents that are also stored elsewhere, such as in the audit trail. */
export interface RecordedValues {
  /** Ids, as text, of the documents whose field once had a value, whether or not they still exist. */
  findByValue(path: string, values: readonly unknown[]): Promise<string[]>
  /** Removes the recorded values of documents: of these fields, or of all. Returns the number of records. */
  erase(ids: readonly string[], paths: readonly string[] | undefined): Promise<number>
  /** The records of changes by a user, without values. */
  listBy(user: string): AsyncIterable<object>
}

const recorded = new WeakMap<object, RecordedValues>()

export function setRecordedValues<T>(model: AnyModel<T>, values: RecordedValues): void {
  recorded.set(model, values)
}

export function findRecordedValues<T>(model: AnyModel<T>): RecordedValues | undefined {
  return recorded.get(model)
}
