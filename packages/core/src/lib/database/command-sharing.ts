import { type mongo } from 'mongoose'

// The clients whose commands are not shared, also by other databases of the same client (`connection.useDb`).
const apart = new WeakSet<mongo.MongoClient>()

export function keepCommandsApart(client: mongo.MongoClient): void {
  apart.add(client)
}

export function sharesCommands(client: mongo.MongoClient): boolean {
  return !apart.has(client)
}
