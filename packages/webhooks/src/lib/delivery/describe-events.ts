import { type OpenApiWebhook } from '@create-api/core'
import { z } from 'zod'
import { type PublishedEvent } from './publish.ts'

const headers = {
  'webhook-id': 'Identifies the message. It is the same for each attempt.',
  'webhook-timestamp': 'When the attempt was sent, in seconds since 1970.',
  'webhook-signature':
    'Signatures of `<id>.<timestamp>.<body>`, separated by spaces: `v1,` and an HMAC-SHA256 in Base64 (Standard Webhooks).',
}

const responses = {
  '2XX': 'The message was received.',
  '410': 'The endpoint receives no more messages: it is disabled.',
  default: 'The message is sent again later.',
}

// What receivers get, for the OpenAPI document.
export function describeEvents(
  events: readonly PublishedEvent[],
): Readonly<Record<string, OpenApiWebhook>> {
  return Object.fromEntries(
    events.map(({ name, schema, summary }) => [
      name,
      { summary, headers, body: toBody(name, schema), responses },
    ]),
  )
}

function toBody(name: string, data: z.ZodType): z.ZodType {
  return z.object({
    type: z.literal(name),
    timestamp: z.iso.datetime().describe('When the event happened.'),
    data,
  })
}
