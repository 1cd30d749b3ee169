import { ApiError, defineRoute, type Route, success } from '@create-api/core'
import { findPage, listMeta, requireFound } from '@create-api/core/resource'
import { enqueue } from '@create-api/jobs'
import { mongo } from 'mongoose'
import { addDelivery, toExpiry } from '../delivery/add-delivery.ts'
import { findEndpoint, type RouteTools } from './route-tools.ts'
import { webhookErrors } from './webhook-errors.ts'
import {
  delivery,
  deliveryParams,
  endpointParams,
  listDeliveries,
  testType,
  toDeliveryView,
} from './webhook-schemas.ts'

export function createDeliveryRoutes(tools: RouteTools): Route[] {
  return [test, list, redeliver].map((define) => define(tools))
}

const test = ({ access, deliver, parts }: RouteTools): Route =>
  defineRoute({
    method: 'post',
    path: '/:id/test',
    access,
    params: endpointParams,
    response: delivery,
    status: 202,
    summary: `Send the message ${testType}`,
    errors: [webhookErrors.webhook_disabled],
    async handler(req, res) {
      const endpoint = requireEnabled(await findEndpoint(parts, req.valid.params.id, req.scope))
      const messageId = `msg_${new mongo.ObjectId().toHexString()}`
      const { connection, deliveries } = parts.models
      const message = { endpoint, messageId, type: testType, timestamp: new Date(), data: {} }
      const id = await connection.transaction((session) =>
        addDelivery(parts, deliver, message, session),
      )
      success(res.status(202), toDeliveryView(requireFound(await deliveries.findById(id).lean())))
    },
  })

const list = ({ access, parts }: RouteTools): Route =>
  defineRoute({
    method: 'get',
    path: '/:id/deliveries',
    access,
    params: endpointParams,
    query: listDeliveries,
    response: delivery.array(),
    meta: listMeta,
    summary: 'List the messages of a webhook and their attempts',
    async handler(req, res) {
      const { _id } = await findEndpoint(parts, req.valid.params.id, req.scope)
      const { data, meta } = await findPage(parts.models.deliveries, req.valid.query, {
        scope: { endpoint: _id },
      })
      success(res, data.map(toDeliveryView), meta)
    },
  })

const redeliver = ({ access, deliver, parts }: RouteTools): Route =>
  defineRoute({
    method: 'post',
    path: '/:id/deliveries/:delivery/redeliver',
    access,
    params: deliveryParams,
    response: delivery,
    status: 202,
    summary: 'Send a message again, with the same id',
    errors: [webhookErrors.webhook_disabled, webhookErrors.webhook_pending],
    async handler(req, res) {
      const { delivery: _id, id } = req.valid.params
      const { connection, deliveries } = parts.models
      const found = requireEnabled(await findEndpoint(parts, id, req.scope))
      const filter = { _id, endpoint: found._id }
      requireFound(await deliveries.exists(filter))
      const now = new Date()
      const stored = await connection.transaction(async (session) => {
        const changed = await deliveries
          .findOneAndUpdate(
            { ...filter, state: { $ne: 'pending' } },
            { $set: { state: 'pending', nextAttemptAt: now, expiresAt: toExpiry(parts, now) } },
            { returnDocument: 'after', session },
          )
          .lean()
        if (!changed) throw new ApiError(webhookErrors.webhook_pending)
        await enqueue(deliver, { delivery: _id, attempt: 0 }, { session, connection })
        return changed
      })
      success(res.status(202), toDeliveryView(stored))
    },
  })

function requireEnabled<Endpoint extends { disabledAt: Date | null }>(
  endpoint: Endpoint,
): Endpoint {
  if (endpoint.disabledAt === null) return endpoint
  throw new ApiError(webhookErrors.webhook_disabled)
}
