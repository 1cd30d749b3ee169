export { type EmbeddedMongoOptions, type EmbeddedMongoStorage } from './lib/host/options.ts'
export { type EmbeddedMongo, startEmbeddedMongo } from './lib/host/start-embedded-mongo.ts'
