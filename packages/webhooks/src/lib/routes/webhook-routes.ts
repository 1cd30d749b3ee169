import { type Access, createRouter, type Router } from '@create-api/core'
import { type Job } from '@create-api/jobs'
import { type DeliverInput } from '../delivery/add-delivery.ts'
import { type WebhookParts } from '../delivery/parts.ts'
import { createDeliveryRoutes } from './delivery-routes.ts'
import { createEndpointRoutes } from './endpoint-routes.ts'
import { createBodySchemas } from './webhook-schemas.ts'

// The routes of the endpoints that the access admits. Its scope states whose they are. Without a model: the list of deliveries
// has another one, and indexes for the few endpoints of an owner are not needed.
export function createWebhookRouter(
  parts: WebhookParts,
  { access, deliver }: { readonly access: Access; readonly deliver: Job<DeliverInput> },
): Router {
  const tools = { parts, access, deliver, bodies: createBodySchemas(parts) }
  return createRouter([...createEndpointRoutes(tools), ...createDeliveryRoutes(tools)], {
    tag: 'webhooks',
  })
}
