export {
  type AccessFault,
  type AccessMatrixOptions,
  findAccessFaults,
} from './lib/testing/access-matrix.ts'
export {
  createTestClient,
  type SignUpOptions,
  type TestClient,
  type TestClientOptions,
  type TestKey,
  type TestUser,
} from './lib/testing/create-test-client.ts'
