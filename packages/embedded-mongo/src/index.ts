// The groups are the topics of the API reference: a comment names the topic and its guides.

// Database: docs/database.md
export { type EmbeddedMongo, startEmbeddedMongo } from './lib/host/start-embedded-mongo.ts'
export { type EmbeddedMongoOptions, type EmbeddedMongoStorage } from './lib/host/options.ts'
