// The groups are the topics of the API reference: a comment names the topic and its guides.

// Webhooks: docs/webhooks.md
export { createWebhooks, type Webhooks, type WebhooksOptions } from './lib/create-webhooks.ts'
export {
  type Audience,
  publish,
  type PublishedEvent,
  type PublishOptions,
} from './lib/delivery/publish.ts'
export { type EndpointOwner, type WebhookMail } from './lib/delivery/parts.ts'
export { type Resolve } from './lib/network/target.ts'
export { webhookErrors } from './lib/routes/webhook-errors.ts'
