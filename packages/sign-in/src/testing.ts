// The groups are the topics of the API reference: a comment names the topic and its guides.

// Tests: docs/sign-in.md#testing
export { createTotpCode } from './lib/testing/create-totp-code.ts'
