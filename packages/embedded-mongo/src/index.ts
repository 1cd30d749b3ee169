// The groups are the topics of the API reference: a comment names the topic and its guides.

// Database: docs/database.md
export { type EmbeddedMongo, startEmbeddedMongo } from './lib/host/start-embedded-mongo.ts'
export { type EmbeddedMongoOptions, type EmbeddedMongoStorage } from './lib/host/options.ts'

// Servers for tests: docs/recipes/test-database.md
export {
  type MemoryServerInfo,
  MongoMemoryServer,
  // Users of `mongodb-memory-server` import it in both ways.
  // oxlint-disable-next-line import/no-default-export -- the interface of that package
  MongoMemoryServer as default,
  type MongoMemoryServerState,
} from './lib/memory-server/memory-server.ts'
export {
  MongoMemoryReplSet,
  type MongoMemoryReplSetState,
} from './lib/memory-server/memory-replica-set.ts'
export {
  type Cleanup,
  type DisposeOptions,
  type MemoryReplicaSetOptions,
  type MemoryServerInstanceOptions,
  type MongoMemoryReplSetOptions,
  type MongoMemoryServerOptions,
} from './lib/memory-server/options.ts'
