import { parse as parseContentType } from 'content-type'
import { type Request, type Response } from 'express'
import { type Access } from '../access/access.ts'
import { createBodyParser } from '../http/body-parser.ts'
import { findLongNumbers, keepLongNumbers } from '../http/long-numbers.ts'
import { isRecord } from '../json/plain.ts'
import { parseDuration } from '../options/parse-duration.ts'
import { parseSize } from '../options/parse-size.ts'
import { success } from '../response/success.ts'
import { type Route } from '../route/route.ts'
import { createRouter, type Router } from '../routing/create-router.ts'
import { noteProgress } from '../stage/request-body.ts'
import { createStage, ended, type Stage } from '../stage/stage.ts'
import { importLines, linesMediaType, type ReadOptions } from './import-lines.ts'
import { findActions, type ItemAction, joinAccess, joinErrors } from './item-actions.ts'
import { createSchemas } from './bulk-schemas.ts'
import { createPace } from './pace.ts'
import { findConnection, Refusal, runAtomic } from './run-atomic.ts'
import { createItemRunner, type Item, type ItemResult } from './run-item.ts'

/** Options for {@link withBulk}. */
export interface BulkOptions {
  /**
   * Maximum number of items in a JSON body. NDJSON has no limit.
   * @default 1000
   */
  readonly limit?: number | undefined
  /**
   * Maximum size of a JSON body, also after decompression: bytes, or text such as `10mb`. Each line of NDJSON has the
   * limit that bodies have in the API; compressed NDJSON beyond this size may have at most 100 times the bytes received.
   * @default '10mb'
   */
  readonly bodyLimit?: number | string | undefined
  /**
   * Who may send bulk requests. Each item needs the access of its route, too.
   * @default whom at least one of the routes admits
   */
  readonly access?: Access | undefined
  /**
   * Time for which an NDJSON request waits for its client to send more, or to read the results; then the connection is closed: a
   * number of seconds, or text such as `2m`.
   * @default '1m'
   */
  readonly idleTimeout?: number | string | undefined
}

/**
 * Adds `POST /bulk` to a router. Its items create, replace, patch and delete documents through the routes `POST /`,
 * `PUT /:id`, `PATCH /:id` and `DELETE /:id` of the router: each item is the single request with the same body, `If-Match` and
 * caller, so that access, validation and handlers are those of the routes. With `atomic: true`, all items are in one
 * transaction. Lines of `application/x-ndjson` are items, too; their results are sent while the body arrives. Routes
 * with a `multipart` body have no items.
 * @param router - a router created by `createRouter`
 * @param options - limits, access and time limit
 * @returns a router with the same routes and the bulk route
 * @throws TypeError when the router has none of these routes, or an option is not valid
 * @example
 * ```ts
 * export const articlesRouter = withBulk(
 *   createRouter(
 *     [
 *       post('/', { body: createArticle, response: article, status: 201, etag: true }, articles.create),
 *       del('/:slug', { params: slugParams, etag: true }, articles.remove),
 *     ],
 *     { access: 'user', model: ArticleModel },
 *   ),
 *   { limit: 10_000 },
 * )
 * ```
 */
export function withBulk(router: Router, options: BulkOptions = {}): Router {
  const { limit = 1000, bodyLimit = '10mb', idleTimeout = '1m' } = options
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new TypeError('limit must be a whole number of at least 1.')
  }
  parseSize(bodyLimit, 'bodyLimit')
  const actions = findActions(router.routes)
  if (actions.length === 0) {
    throw new TypeError(
      'withBulk() needs a router with at least one of the routes POST /, PUT /:id, PATCH /:id and DELETE /:id.',
    )
  }
  const route: Route = {
    method: 'post',
    path: '/bulk',
    access: options.access ?? joinAccess(actions),
    params: actions.find(({ key }) => key === undefined)?.route.params,
    references: {},
    before: [],
    errors: joinErrors(actions),
    deprecated: toSharedDeprecation(actions),
    readBody: readBulk(actions, {
      bodyLimit,
      idleTimeout: parseDuration(idleTimeout, 'idleTimeout'),
    }),
    ...createSchemas(actions, limit),
    idempotent: true,
    items: actions.map((action) => action.route),
    handler: (req: BulkRequest, res) => handle(req, res, { actions, model: router.model }),
  }
  const { body, model, tag } = router
  return createRouter([...router.routes, route], { body, model, tag })
}

function toSharedDeprecation(actions: readonly ItemAction[]): Route['deprecated'] {
  const [first, ...others] = new Set(actions.map(({ route }) => route.deprecated))
  return others.length === 0 ? first : undefined
}

// Reads a JSON body. Lines are processed while they are read.
function readBulk(actions: readonly ItemAction[], { bodyLimit, idleTimeout }: ReadOptions): Stage {
  const readJson = createBodyParser(
    {
      limit: bodyLimit,
      types: ['application/json', linesMediaType],
      // The routes of the items have their own limits.
      maxDepth: 500,
      unchecked: true,
    },
    keepLongNumbers,
  )
  return createStage((req, res) => {
    const { type } = parseContentType(req.headers['content-type'] ?? '')
    if (type !== linesMediaType) return readJson.step(req, res)
    const runner = createItemRunner(req, res, actions)
    noteScope(req)
    return importLines(res, runner, { bodyLimit, idleTimeout }).then(() => ended)
  })
}

type BulkRequest = Request & {
  readonly valid: {
    readonly body: { readonly atomic: boolean; readonly items: readonly unknown[] }
  }
}

interface Bulk extends Pick<Router, 'model'> {
  readonly actions: readonly ItemAction[]
}

async function handle(req: BulkRequest, res: Response, { actions, model }: Bulk): Promise<void> {
  const { atomic } = req.valid.body
  const items = toItems(req)
  noteScope(req)
  const runner = createItemRunner(req, res, actions)
  const results = atomic
    ? await runAtomic(runner, items, { req, connection: findConnection(model) })
    : await runEach(req, items, runner.settle)
  if (results instanceof Refusal) {
    results.send(res)
    return
  }
  const failed = results.filter(({ status }) => status >= 400).length
  success<Response>(res, results, { succeeded: results.length - failed, failed })
}

// Each item reads its own scope.
function noteScope(req: Request): void {
  void req.scope
}

function toItems(req: BulkRequest): Item[] {
  const { items } = req.valid.body
  const longNumbers = findLongNumbers(req)
  const long = isRecord(longNumbers) ? longNumbers['items'] : undefined
  return items.map((value, index) => ({
    value,
    longNumbers: Array.isArray(long) ? long[index] : undefined,
    path: ['items', index],
  }))
}

async function runEach(
  req: Request,
  items: readonly Item[],
  settle: (item: Item) => Promise<ItemResult>,
): Promise<ItemResult[]> {
  const pace = createPace()
  const results: ItemResult[] = []
  for (const item of items) {
    results.push(await settle(item))
    noteProgress(req)
    await pace()
  }
  return results
}
