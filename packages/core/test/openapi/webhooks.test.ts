import { expect, it } from 'vitest'
import { z } from 'zod'
import {
  createApi,
  createRegistry,
  createRouter,
  get,
  type OpenApiWebhook,
} from '../../src/index.ts'

const routes = createRegistry().use(
  '/api/things',
  createRouter([
    get('/', { access: 'public', operationId: 'sendThingSold' }, (_req, res) => {
      res.end()
    }),
  ]),
)

function describe(webhooks?: Readonly<Record<string, OpenApiWebhook>>) {
  const options = { routes, auth: false, database: false, openapi: { webhooks } } as const
  return createApi(options).openapi ?? expect.fail()
}

const body = z.object({ id: z.string() })

it('a webhook is a path item under its name', () => {
  const webhook = {
    description: 'After the payment.',
    headers: { 'x-signature': 'HMAC of the body.' },
    body,
    responses: { '2XX': 'Received.' },
  }
  const { components, webhooks } = describe({ 'thing.sold': webhook, thing_sold: webhook })
  expect(webhooks).toMatchObject({
    'thing.sold': {
      post: {
        operationId: 'sendThingSold2',
        summary: 'thing.sold',
        description: 'After the payment.',
        security: [],
        parameters: [{ name: 'x-signature', in: 'header', required: true }],
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/ThingSoldWebhook' } },
          },
        },
        responses: { '2XX': { description: 'Received.' } },
      },
    },
    thing_sold: { post: { operationId: 'sendThingSold3' } },
  })
  expect(Object(components['schemas']).ThingSoldWebhook).toEqual({
    type: 'object',
    properties: { id: { type: 'string' } },
    required: ['id'],
  })
})

it('an API without webhooks does not mention them', () => {
  expect(describe()).not.toHaveProperty('webhooks')
})
