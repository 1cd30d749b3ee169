/** A database of any MongoDB, as the driver and Mongoose hand it over (`client.db()`). */
export interface TransferDatabase {
  command(command: Record<string, unknown>): Promise<Record<string, unknown>>
  collection(name: string): {
    find(filter: Record<string, never>, options: { raw: true }): AsyncIterable<unknown>
  }
}

/** What was copied of one collection. */
export interface TransferredCollection {
  name: string
  documents: number
}

/** What `NAME.metadata.json` tells of a collection, as `mongodump` writes it. */
export interface CollectionMetadata {
  collectionName: string
  type: string
  options: Record<string, unknown>
  indexes: Record<string, unknown>[]
}
