import { ApiError, defineRoute, type Route, type Scope, success } from '@create-api/core'
import {
  createDocument,
  findPage,
  inScope,
  listMeta,
  requireFound,
} from '@create-api/core/resource'
import { mongo } from 'mongoose'
import { type WebhookParts } from '../delivery/parts.ts'
import { notPublic, resolveTarget } from '../network/target.ts'
import { createSecret } from '../signature/secret.ts'
import { sealSecret } from '../store/secrets.ts'
import { findEndpoint, type RouteTools } from './route-tools.ts'
import { webhookErrors } from './webhook-errors.ts'
import {
  createdEndpoint,
  endpoint,
  endpointParams,
  listEndpoints,
  rotatedSecret,
  toEndpointView,
} from './webhook-schemas.ts'

export function createEndpointRoutes(tools: RouteTools): Route[] {
  return [list, create, read, change, remove, rotate].map((define) => define(tools))
}

const list = ({ access, parts }: RouteTools): Route =>
  defineRoute({
    method: 'get',
    path: '/',
    access,
    query: listEndpoints,
    response: endpoint.array(),
    meta: listMeta,
    summary: 'List webhooks',
    async handler(req, res) {
      const { data, meta } = await findPage(parts.models.endpoints, req.valid.query, {
        scope: req.scope,
      })
      success(res, data.map(toEndpointView), meta)
    },
  })

const create = ({ access, bodies, parts }: RouteTools): Route =>
  defineRoute({
    method: 'post',
    path: '/',
    access,
    body: bodies.create,
    response: createdEndpoint,
    status: 201,
    summary: 'Create a webhook; the response contains its secret, once',
    errors: [webhookErrors.too_many_webhooks],
    async handler(req, res) {
      const { body } = req.valid
      const { scope } = req
      requireOwner(scope)
      await requireTarget(parts, body.url)
      const _id = new mongo.ObjectId()
      const secret = createSecret()
      const secrets = [sealSecret(parts.box, String(_id), secret)]
      const fields = { ...body, _id, secrets, createdAt: new Date() }
      const stored = await createDocument(parts.models.endpoints, fields, { scope })
      // Counted afterwards: of requests at the same time, each counts those of the others.
      if ((await parts.models.endpoints.countDocuments(inScope(scope, {}))) > parts.maxEndpoints) {
        await parts.models.endpoints.deleteOne({ _id })
        throw new ApiError(webhookErrors.too_many_webhooks)
      }
      success(res.status(201), { ...toEndpointView(stored), secret })
    },
  })

const read = ({ access, parts }: RouteTools): Route =>
  defineRoute({
    method: 'get',
    path: '/:id',
    access,
    params: endpointParams,
    response: endpoint,
    summary: 'Read a webhook',
    async handler(req, res) {
      success(res, toEndpointView(await findEndpoint(parts, req.valid.params.id, req.scope)))
    },
  })

const change = ({ access, bodies, parts }: RouteTools): Route =>
  defineRoute({
    method: 'patch',
    path: '/:id',
    access,
    params: endpointParams,
    body: bodies.patch,
    response: endpoint,
    summary: 'Change, enable or disable a webhook',
    async handler(req, res) {
      const { enabled, ...fields } = req.valid.body
      const filter = inScope(req.scope, { _id: req.valid.params.id })
      if (fields.url !== undefined) await requireTarget(parts, fields.url)
      // One that is disabled keeps the reason for it.
      if (enabled === false) {
        const disabled = { disabledAt: new Date(), disabledReason: 'owner' } as const
        await parts.models.endpoints.updateOne({ ...filter, disabledAt: null }, { $set: disabled })
      }
      const stored = await parts.models.endpoints
        .findOneAndUpdate(
          filter,
          { $set: { ...fields, ...toState(enabled, fields.url) } },
          { returnDocument: 'after' },
        )
        .lean()
      success(res, toEndpointView(requireFound(stored)))
    },
  })

const remove = ({ access, parts }: RouteTools): Route =>
  defineRoute({
    method: 'delete',
    path: '/:id',
    access,
    params: endpointParams,
    summary: 'Delete a webhook and its log',
    async handler(req, res) {
      const filter = inScope(req.scope, { _id: req.valid.params.id })
      const { _id } = requireFound(await parts.models.endpoints.findOneAndDelete(filter).lean())
      await parts.models.deliveries.deleteMany({ endpoint: _id })
      success(res)
    },
  })

const rotate = ({ access, parts }: RouteTools): Route =>
  defineRoute({
    method: 'post',
    path: '/:id/rotate-secret',
    access,
    params: endpointParams,
    response: rotatedSecret,
    summary: 'Create a new secret; the previous one signs, too, for a time',
    errors: ['conflict'],
    async handler(req, res) {
      const { _id, secrets } = await findEndpoint(parts, req.valid.params.id, req.scope)
      const secret = createSecret()
      const previousExpiresAt = new Date(Date.now() + parts.overlapMs)
      const [current] = secrets
      const previous = current ? [{ sealed: current.sealed, expiresAt: previousExpiresAt }] : []
      const { modifiedCount } = await parts.models.endpoints.updateOne(
        { _id, 'secrets.0.sealed': current?.sealed },
        { $set: { secrets: [sealSecret(parts.box, String(_id), secret), ...previous] } },
      )
      if (modifiedCount === 0) throw new ApiError('conflict')
      success(res, { secret, previousExpiresAt: previousExpiresAt.toISOString() })
    },
  })

// Without one, an endpoint would belong to everyone who may call the routes.
function requireOwner(scope: Scope): void {
  if (scope['owner'] !== undefined || scope['organization'] !== undefined) return
  throw new Error(
    "The access of webhooks.router() states no owner of endpoints. Use 'owner', or memberRole('admin') of @create-api/core/tenants.",
  )
}

// The same error for a name that does not exist: what this network can resolve stays unknown.
async function requireTarget({ rules }: WebhookParts, url: string): Promise<void> {
  try {
    await resolveTarget(url, rules)
  } catch (cause) {
    throw new ApiError('validation_failed', {
      errors: [{ in: 'body', pointer: '#/url', code: 'custom', detail: notPublic }],
      cause,
    })
  }
}

function toState(enabled: boolean | undefined, url: string | undefined): object {
  if (enabled === true) return { disabledAt: null, disabledReason: null, failingSince: null }
  return url === undefined ? {} : { failingSince: null }
}
