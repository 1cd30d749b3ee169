// The groups are the topics of the API reference: a comment names the topic and its guides.

// Receiving: docs/webhooks.md#receiving
export { receiverErrors, verifyWebhook, type VerifyOptions } from './lib/receive/verify-webhook.ts'
export {
  createReplayStore,
  type ReplayStore,
  type ReplayStoreOptions,
} from './lib/receive/replay-store.ts'
