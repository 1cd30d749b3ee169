export {
  startEmbeddedMongo,
  type EmbeddedMongo,
  type EmbeddedMongoOptions,
  type EmbeddedMongoStorage,
} from './lib/host/start-embedded-mongo.ts'
