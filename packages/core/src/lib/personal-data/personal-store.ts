/** Data about users that is not in the database of the models, such as uploaded files. */
export interface PersonalStore {
  /** Name in exports and dry runs, such as `uploads`. */
  readonly name: string
  /** Counts what is stored about a user. */
  readonly count: (userId: string) => Promise<number>
  /** Lists what is stored about a user, as values for JSON. */
  readonly list: (userId: string) => AsyncIterable<object>
  /**
   * Removes it, before the documents of the user are deleted or anonymized. It is called again after them, and when an erasure was
   * interrupted.
   */
  readonly erase: (userId: string) => Promise<void>
}

const stores = new Map<string, PersonalStore>()

/**
 * Adds data that is not in the database of the models to exports and erasures. Call it when the application is loaded.
 * @param store - counts, lists and removes the data of a user
 * @throws Error when there is another store with this name
 * @example
 * ```ts
 * addPersonalStore({
 *   name: 'uploads',
 *   count: async (userId) => (await listFiles(userId)).length,
 *   async *list(userId) {
 *     for (const file of await listFiles(userId)) yield { file }
 *   },
 *   erase: removeFiles,
 * })
 * ```
 */
export function addPersonalStore(store: PersonalStore): void {
  const known = stores.get(store.name)
  if (known && known !== store) {
    throw new Error(`There is another store of personal data called ${store.name}.`)
  }
  stores.set(store.name, store)
}

export function listPersonalStores(): readonly PersonalStore[] {
  return [...stores.values()]
}
