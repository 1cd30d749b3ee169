// The groups are the topics of the API reference: a comment names the topic and its guides.

// Test client: docs/resources.md#tests
export {
  createTestClient,
  type SignUpOptions,
  type TestClient,
  type TestClientOptions,
  type TestKey,
  type TestUser,
} from './lib/testing/create-test-client.ts'
export { type CallerScope, type TestCaller } from './lib/testing/create-caller.ts'

// Access checks: docs/access.md#tests
export {
  type AccessFault,
  type AccessMatrixOptions,
  findAccessFaults,
} from './lib/testing/access-matrix.ts'
