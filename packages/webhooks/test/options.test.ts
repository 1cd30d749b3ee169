import { createWebhooks, publish, type WebhooksOptions } from '@create-api/webhooks'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { postPublished } from './events.ts'

const event = publish(postPublished, { schema: z.object({}), audience: () => undefined })
const valid = { events: [event], encryptionKeys: ['0123456789abcdef0123456789abcdef'] }

it.each<[string, Partial<WebhooksOptions>]>([
  ['encryptionKeys', { encryptionKeys: [] }],
  ['encryptionKeys', { encryptionKeys: ['short'] }],
  ['events', { events: [] }],
  ['post.published', { events: [event, event] }],
  ['maxEndpoints', { maxEndpoints: 0 }],
  ['timeout', { timeout: '2m' }],
  ['timeout', { timeout: 'x' }],
  ['retries', { retries: ['x'] }],
  ['keepDeliveries', { keepDeliveries: '2d' }],
  ['allowedNetworks', { allowedNetworks: ['localhost'] }],
])('an option that is not valid is named: %s', (name, options) => {
  expect(() => createWebhooks({ ...valid, ...options })).toThrow(name)
})
