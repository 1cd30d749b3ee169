import { type mongo } from 'mongoose'

// The clients whose reads are not shared, also by other databases of the same client (`connection.useDb`).
const apart = new WeakSet<mongo.MongoClient>()

export function keepReadsApart(client: mongo.MongoClient): void {
  apart.add(client)
}

export function sharesReads(client: mongo.MongoClient): boolean {
  return !apart.has(client)
}
