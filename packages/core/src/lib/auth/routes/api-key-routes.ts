import { ApiError } from '../../errors/api-error.ts'
import { defineRoute } from '../../route/define-route.ts'
import { type Route } from '../../route/route.ts'
import { createStage } from '../../stage/stage.ts'
import { success } from '../../response/success.ts'
import {
  createApiKey,
  listApiKeys,
  revokeAllApiKeys,
  revokeApiKey,
  rotateApiKey,
} from '../api-keys/api-key-service.ts'
import { type CreateRoutes, limited, toFacts } from './route-parts.ts'

export const createApiKeyRoutes: CreateRoutes = (context, schemas) => [
  ...createIssueRoutes(context, schemas),
  ...createListRoutes(context, schemas),
]

// The two that show a key.
const createIssueRoutes: CreateRoutes = (context, schemas) => [
  defineRoute({
    method: 'post',
    path: '/keys',
    access: 'user',
    summary: 'Create an API key, which is shown this once',
    operationId: 'createApiKey',
    body: schemas.newKey,
    response: schemas.issuedKey,
    status: 201,
    ...limited(context, 'apiKeys', ['conflict']),
    async handler(req, res) {
      const input = { ...req.valid.body, multiFactor: req.multiFactor === true }
      const key = await createApiKey(context, req.user.id, input, toFacts(context, req))
      success(res.status(201), key)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/keys/:id/rotate',
    access: 'user',
    summary: 'Create the successor of an API key, which works for some time more',
    operationId: 'rotateApiKey',
    params: schemas.keyParams,
    response: schemas.issuedKey,
    status: 201,
    ...limited(context, 'apiKeys', ['conflict']),
    async handler(req, res) {
      const key = { id: req.valid.params.id, userId: req.user.id }
      success(res.status(201), await rotateApiKey(context, key, toFacts(context, req)))
    },
  }),
]

const createListRoutes: CreateRoutes = (context, schemas) => [
  defineRoute({
    method: 'get',
    path: '/keys',
    access: 'user',
    summary: 'List the API keys of the current user',
    operationId: 'listApiKeys',
    response: schemas.keys,
    ...limited(context, 'apiKeys'),
    async handler(req, res) {
      success(res, await listApiKeys(context, req.user.id))
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/keys/:id',
    access: 'user',
    summary: 'Revoke an API key of the current user',
    operationId: 'revokeApiKey',
    params: schemas.keyParams,
    ...limited(context, 'apiKeys'),
    async handler(req, res) {
      const key = { id: req.valid.params.id, userId: req.user.id }
      await revokeApiKey(context, key, toFacts(context, req))
      success(res)
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/keys',
    access: 'user',
    summary: 'Revoke all API keys of the current user',
    operationId: 'revokeAllApiKeys',
    ...limited(context, 'apiKeys'),
    async handler(req, res) {
      await revokeAllApiKeys(context, req.user.id, toFacts(context, req))
      success(res)
    },
  }),
]

// Every route for people is closed to API keys here, whatever their scopes: passwords, addresses, sessions,
// keys and memberships are changed by people only. Public routes load no caller.
export function closeToApiKeys(route: Route): Route {
  if (route.access === 'public') return route
  return { ...route, before: [refuseApiKey, ...(route.before ?? [])] }
}

const refuseApiKey = createStage((req) => {
  if (!req.apiKey) return
  req.authenticator?.onForbidden?.(req)
  throw new ApiError('forbidden', { detail: 'API keys cannot be used here: log in.' })
})
