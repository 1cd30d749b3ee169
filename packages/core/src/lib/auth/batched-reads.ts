import { answeredInTime } from './answered-in-time.ts'

/**
 * Makes reads by key of a store that answers many keys at the price of one: what is asked for in
 * one turn of the event loop is read together. Nothing is kept: each read begins after it was asked
 * for, and sees what was written before.
 * @param load - reads the documents of these keys, no key twice
 * @returns the read of one key; undefined when `load` does not give it; it throws ApiError `timeout`
 *   when `load` takes more than 10 s
 */
export function batchReads<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  let batch: Batch<Value> | undefined

  function open(): Batch<Value> {
    const keys = new Set<string>()
    const values = endOfTurn().then(() => {
      batch = undefined
      return answeredInTime(load([...keys]))
    })
    return { keys, values }
  }

  return async (key) => {
    const { keys, values } = (batch ??= open())
    keys.add(key)
    return (await values).get(key)
  }
}

interface Batch<Value> {
  readonly keys: Set<string>
  readonly values: Promise<ReadonlyMap<string, Value>>
}

// When all sockets that had something to read have been read.
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
