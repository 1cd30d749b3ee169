// The groups are the topics of the API reference: a comment names the topic and its guides.

// Clients: docs/client.md
export { type ApiClient, type ClientOptions, createApiClient } from './lib/create-api-client.ts'
export { type Call, type Result } from './lib/calls.ts'
export { type CallOptions, type Operation, type Operations, type ToForm } from './lib/operations.ts'
export { type EachOptions, type EachQuery } from './lib/pages.ts'
export { type RetryOptions } from './lib/retries.ts'
export { type Fetch } from './lib/fetch.ts'

// Sessions: docs/client.md#session
export {
  createSession,
  createSessionFetch,
  type LogoutReason,
  type Session,
  type SessionOptions,
} from './lib/session.ts'
export { createLocalStore, createMemoryStore, type TokenStore } from './lib/token-store.ts'
export { type Tokens } from './lib/tokens.ts'

// Failures: docs/client.md#errors
export {
  type ClientFailure,
  type ErrorItem,
  Failure,
  type FailureParts,
  type PreconditionFailure,
} from './lib/failure.ts'

// Events and forms: docs/client.md
export { type OpenStream, type ReadEvents, readEvents, type ServerEvent } from './lib/events.ts'
export { form } from './lib/form.ts'
