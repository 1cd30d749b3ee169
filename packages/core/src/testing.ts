export {
  createTestClient,
  type SignUpOptions,
  type TestClient,
  type TestUser,
} from './lib/testing/create-test-client.ts'
