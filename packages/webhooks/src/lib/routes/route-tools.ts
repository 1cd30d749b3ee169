import { type Access, type Scope } from '@create-api/core'
import { findDocument } from '@create-api/core/resource'
import { type Job } from '@create-api/jobs'
import { type DeliverInput } from '../delivery/add-delivery.ts'
import { type WebhookParts } from '../delivery/parts.ts'
import { type EndpointDocument } from '../store/models.ts'
import { type BodySchemas } from './webhook-schemas.ts'

export interface RouteTools {
  readonly parts: WebhookParts
  readonly access: Access
  readonly deliver: Job<DeliverInput>
  readonly bodies: BodySchemas
}

export function findEndpoint(
  { models }: WebhookParts,
  id: string,
  scope: Scope,
): Promise<EndpointDocument> {
  return findDocument(models.endpoints, { _id: id }, { scope })
}
