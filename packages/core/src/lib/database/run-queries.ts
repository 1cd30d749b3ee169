interface Connected {
  readonly db: object
}

// Runs queries at the same time; inside a transaction, which does not support that, one after the other.
export async function runQueries<T>(
  { db }: Connected,
  queries: readonly (() => PromiseLike<T>)[],
): Promise<T[]> {
  if (!isInTransaction(db)) return Promise.all(queries.map((query) => query()))
  const results: T[] = []
  for (const query of queries) results.push(await query())
  return results
}

// Queries join a transaction by themselves only with this setting of Mongoose.
function isInTransaction(db: object): boolean {
  const base: unknown = Reflect.get(db, 'base')
  return Object(base).transactionAsyncLocalStorage?.getStore()?.session !== undefined
}
