import { type ClientSession, type Connection } from 'mongoose'

// The session of the transaction that surrounds the caller, with `transactionAsyncLocalStorage` of Mongoose.
export function findSession(connection: Connection): ClientSession | undefined {
  const base: unknown = Reflect.get(connection, 'base')
  const storage: unknown = Object(base).transactionAsyncLocalStorage
  const store: unknown = hasStore(storage) ? storage.getStore() : undefined
  return Object(store).session
}

// Joins the transaction of the caller, or runs one.
export function runInTransaction<Result>(
  connection: Connection,
  work: (session: ClientSession) => Promise<Result>,
): Promise<Result> {
  const session = findSession(connection)
  return session ? work(session) : connection.transaction(work)
}

function hasStore(value: unknown): value is { getStore(): unknown } {
  return typeof Object(value).getStore === 'function'
}
