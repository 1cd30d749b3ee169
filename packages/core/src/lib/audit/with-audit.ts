import { type Request, type Response } from 'express'
import { z } from 'zod'
import { type Access, all, role, toRule } from '../access/access.ts'
import { type Scope, toScopeReader } from '../access/scope.ts'
import { ApiError } from '../errors/api-error.ts'
import { isRecord } from '../json/plain.ts'
import { findPage } from '../resource/find-page.ts'
import { reachable } from '../resource/in-scope.ts'
import { requireInScope } from '../resource/judge.ts'
import { defineListQuery, type ListQuery } from '../resource/list-query.ts'
import { type AnyModel } from '../resource/model.ts'
import { listMeta } from '../resource/schemas.ts'
import { keepsDeleted } from '../resource/soft-delete.ts'
import { success } from '../response/success.ts'
import { type ApiRequest } from '../route/request.ts'
import { type Route, toResponses } from '../route/route.ts'
import { createRouter, type Router } from '../routing/create-router.ts'
import { askFieldRules } from '../routing/refused-rules.ts'
import { findFieldRules } from '../schemas/restrict.ts'
import { type Audited, findAudited } from './audited.ts'
import { type AuditEntryRecord, entryModelName, toDocumentKey } from './audit-store.ts'
import { createCallerChanges } from './caller-values.ts'
import { toEntry } from './list-entries.ts'

/** Options of {@link withAudit}. */
export interface AuditRouteOptions {
  /**
   * Who may read the history. The caller must also be able to read the document by `GET /:id` of the router.
   * @default role('admin')
   */
  readonly access?: Access | undefined
  /**
   * The documents that the caller of a request can reach, if they are not `req.scope`, as of comments below the path of a post:
   * `(req) => inScope(req.scope, { post: req.valid.params.postId })`.
   * @default (req) => req.scope
   */
  readonly scope?: ((req: never) => Scope | Promise<Scope>) | undefined
}

const change = z
  .object({
    path: z.string(),
    before: z.unknown().optional(),
    after: z.unknown().optional(),
    hidden: z.enum(['masked', 'erased']).optional(),
  })
  .meta({ id: 'AuditChange' })

const auditEntry = z
  .object({
    sequence: z.int(),
    at: z.iso.datetime(),
    action: z.enum(['created', 'changed', 'deleted', 'restored', 'erased']),
    version: z.int().optional(),
    caller: z
      .object({
        user: z.string().optional(),
        apiKey: z.string().optional(),
        organization: z.string().optional(),
      })
      .optional(),
    requestId: z.string().optional(),
    changes: z.array(change),
  })
  .meta({ id: 'AuditEntry' })

const listEntries = defineListQuery(auditEntry, { defaultSort: ['-sequence'] })

/**
 * Adds `GET /:id/history` to a router: the audit trail of a document, the latest entry first, in pages. Access is that of `GET /:id` and
 * a rule of the history. A value is shown if the response of `GET /:id` contains it for the same caller; that the field has changed, is
 * always shown. The history of a deleted document can be read by its id.
 * @param router - a router created by `createRouter`, with the option `model` and the route `GET /:id`
 * @param options - who may read it
 * @returns a router with the same routes and that of the history
 * @throws TypeError when the router has no model or no such route, or the model is not audited
 * @example
 * ```ts
 * export const routes = createRegistry().use('/api/posts', withAudit(postsRouter, { access: permission('audit:read') }))
 * ```
 */
export function withAudit(router: Router, options: AuditRouteOptions = {}): Router {
  const { body, model, tag } = router
  const read = router.routes.find(({ method, path }) => method === 'get' && /^\/:\w+$/.test(path))
  const response = read && toResponses(read).get(200)
  if (!read || !response) {
    throw new TypeError('withAudit() needs a router with the route GET /:id and its response.')
  }
  const audited = requireAudited(model)
  const access = join(read.access, options.access ?? role('admin'))
  const fieldRules = findFieldRules(response, 'readable')
  const toCallerChanges = createCallerChanges(response)
  const name = read.path.slice(2)
  const readScope = toScopeReader(options.scope, 'withAudit({ scope })')
  const route: Route = {
    method: 'get',
    path: `${read.path}/history`,
    access,
    params: read.params,
    references: read.references ?? {},
    before: [],
    errors: [],
    query: listEntries,
    response: auditEntry.array(),
    meta: listMeta,
    summary: 'List the changes of a document',
    async handler(req: HistoryRequest, res: Response) {
      const own = await readScope(req)
      const document = await findKey(audited, { name, value: req.valid.params[name] }, own)
      await askFieldRules(fieldRules, req)
      const toChange = toCallerChanges(req)
      const scope = { document }
      const { data, meta } = await findPage(entryModel(audited), req.valid.query, { scope })
      success<Response>(
        res,
        data.map((entry) => toEntry(entry, toChange)),
        meta,
      )
    },
  }
  return createRouter([...router.routes, route], { body, model, tag })
}

type HistoryRequest = ApiRequest & {
  readonly valid: { readonly params: Readonly<Record<string, unknown>>; readonly query: ListQuery }
} & Request

function requireAudited(model: Router['model']): Audited {
  const isModel = typeof model === 'function'
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the model of a router is one of Mongoose
  const audited = isModel ? findAudited(model as unknown as AnyModel<unknown>) : undefined
  if (audited) return audited
  throw new TypeError(
    isModel
      ? 'withAudit() needs a model that is audited: call auditChanges(PostModel) beside the model.'
      : 'withAudit() needs a router with a model: createRouter([…], { model: PostModel }).',
  )
}

// Everyone whom both admit.
function join(read: Access, own: Access): Access {
  return toRule(read).form?.kind === 'everyone' && toRule(read).anonymous ? own : all(read, own)
}

function entryModel({ store }: Audited): AnyModel<AuditEntryRecord> {
  return store.connection.model<AuditEntryRecord>(entryModelName)
}

interface Identifier {
  /** Name of the parameter: `id`, or that of a unique field. */
  readonly name: string
  readonly value: unknown
}

// Throws ApiError `not_found` unless the document is in the scope, or was when it was deleted.
async function findKey(
  { model, store }: Audited,
  { name, value }: Identifier,
  scope: Scope,
): Promise<string> {
  const { name: collection } = model.collection
  const filter = { [name === 'id' ? '_id' : name]: value }
  const options = keepsDeleted(model) ? { withDeleted: true } : {}
  const found = await model.findOne(reachable(model, scope, filter), { _id: 1 }, options).lean()
  if (found) return toDocumentKey(collection, Object(found)._id)
  const document = toDocumentKey(collection, value)
  const last = await store.entries.findOne({ document }, { sort: { sequence: -1 } })
  const isGone = name === 'id' && !(await model.exists(filter).setOptions(options))
  if (!last || !isGone || last.action !== 'deleted') throw new ApiError('not_found')
  await requireWasInScope(model, scope, last)
  return document
}

// By the values that the last entry has: a field that is masked is missing, so a scope that names it finds nothing.
async function requireWasInScope(
  model: AnyModel<unknown>,
  scope: Scope,
  { changes }: AuditEntryRecord,
): Promise<void> {
  if (Object.keys(scope).length === 0) return
  const snapshot: Record<string, unknown> = {}
  for (const { before, path } of changes) {
    if (before && 'value' in before) setPath(snapshot, path.split('.'), before.value)
  }
  try {
    await requireInScope(model, scope, { toObject: () => snapshot })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'forbidden') throw new ApiError('not_found')
    throw error
  }
}

function setPath(
  target: Record<string, unknown>,
  [name = '', ...rest]: string[],
  value: unknown,
): void {
  if (rest.length === 0) {
    target[name] = value
    return
  }
  const inner = target[name]
  const object: Record<string, unknown> = isRecord(inner) ? { ...inner } : {}
  target[name] = object
  setPath(object, rest, value)
}
