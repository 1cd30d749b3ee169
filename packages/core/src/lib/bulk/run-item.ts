import { type Request, type Response } from 'express'
import { z } from 'zod'
import { ApiError, type ErrorItem } from '../errors/api-error.ts'
import { createValidationError, toErrorItems } from '../errors/to-error-items.ts'
import { toApiError } from '../errors/to-api-error.ts'
import { toPointer } from '../errors/to-pointer.ts'
import { createErrorSender, type SendError } from '../http/error-handler.ts'
import { fromUncheckedInput } from '../http/unchecked-input.ts'
import { isRecord } from '../json/plain.ts'
import { announceDeprecation } from '../route/deprecation.ts'
import { parseValue } from '../schemas/parse-value.ts'
import { type ItemAction } from './item-actions.ts'
import {
  createItemRequests,
  createItemResponse,
  type ItemInput,
  type Reply,
} from './item-request.ts'

// An item, and where it is in the body.
export interface Item {
  readonly value: unknown
  /** The same with the numbers that a double does not hold as text; undefined if there are none. */
  readonly longNumbers: unknown
  readonly path: readonly PropertyKey[]
}

// The result of an item in the response.
export interface ItemResult {
  readonly status: number
  readonly etag?: string | undefined
  readonly location?: string | undefined
  readonly data?: unknown
  readonly error?: unknown
}

// Runs the items of one request.
export interface ItemRunner {
  /** Returns the result of an item; an error of the item is one, too. */
  readonly settle: (item: Item) => Promise<ItemResult>
  /** Returns the result of an item that cannot be read. */
  readonly refuse: (thrown: unknown) => Promise<ItemResult>
  /** Returns the response to an item. Rejects with what was thrown. */
  readonly run: (item: Item) => Promise<Reply>
  /** Turns what an item has thrown into an error about the whole request, which leads to the item. */
  readonly blame: (thrown: unknown, item: Item) => ApiError
}

export function createItemRunner(
  req: Request,
  res: Response,
  actions: readonly ItemAction[],
): ItemRunner {
  const { endpoints = [], sendError = defaultSender() } = req.endpoint?.items ?? {}
  const toRequest = createItemRequests(req)
  const toInput = createReader(actions, endpoints)

  function start(item: Item, onRequest: (own: Request) => void): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const input = toInput(item)
      const { endpoint } = input
      const own = toRequest(input)
      onRequest(own)
      if (endpoint.deprecation && !res.headersSent) announceDeprecation(res, endpoint.deprecation)
      const pending = endpoint.run(own, createItemResponse(own, res, resolve))
      if (pending instanceof Promise) pending.catch(reject)
    })
  }

  async function settle(item: Item): Promise<ItemResult> {
    let own = req
    try {
      return toResult(await start(item, (request) => (own = request)))
    } catch (thrown) {
      return refuse(locate(toKnown(thrown, own), item), own)
    }
  }

  async function refuse(thrown: unknown, own = req): Promise<ItemResult> {
    const about: Request = Object.create(own, { complete: { value: true } })
    const reply = await new Promise<Reply>((resolve) => {
      sendError(thrown, about, createItemResponse(about, res, resolve))
    })
    return toResult(reply)
  }

  return {
    settle,
    refuse: (thrown) => refuse(thrown),
    run: (item) => start(item, () => {}),
    blame: (thrown, item) => withPlace(locate(toKnown(thrown, req), item), item),
  }
}

let sender: SendError | undefined

// Outside `createApi`, the error handler of the app is not known.
function defaultSender(): SendError {
  return (sender ??= createErrorSender())
}

type Reader = (item: Item) => ItemInput

// Checks an item. Throws `validation_failed` for one that is none; its body is checked by the route.
function createReader(
  actions: readonly ItemAction[],
  endpoints: readonly ItemInput['endpoint'][],
): Reader {
  const anyItem = z.looseObject({ action: z.enum(actions.map(({ name }) => name)) })
  return (item) => {
    const wanted = parse(anyItem, item).action
    const index = actions.findIndex(({ name }) => name === wanted)
    const [action, endpoint] = [actions[index], endpoints[index]]
    if (!action || !endpoint) throw new Error(`The action '${wanted}' has no route.`)
    const { [action.key ?? '']: id, body, ifMatch } = parse(action.shape, item)
    const { longNumbers } = item
    return {
      endpoint,
      path: action.key === undefined ? '' : `/${encodeURIComponent(String(id))}`,
      params: action.key === undefined ? {} : { [action.key]: String(id) },
      ifMatch: typeof ifMatch === 'string' ? ifMatch : undefined,
      body,
      longNumbers: isRecord(longNumbers) ? longNumbers['body'] : undefined,
    }
  }
}

function parse<T>(schema: z.ZodType<T>, { path, value }: Item): T {
  const { issues, value: parsed } = parseValue(schema, value)
  if (!issues) return parsed
  const placedIssues = issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }))
  const error = createValidationError(toErrorItems(placedIssues, 'body'))
  placed.add(error)
  throw error
}

function toKnown(thrown: unknown, req: Request): ApiError {
  return fromUncheckedInput(thrown, req) ?? toApiError(thrown, req.body)
}

// Errors whose pointers lead from the whole body.
const placed = new WeakSet<ApiError>()

// The pointers of an error in the body of an item lead from that body.
function locate(error: ApiError, { path }: Item): ApiError {
  if (placed.has(error) || !error.errors) return error
  const body = toPointer([...path, 'body'])
  const errors = error.errors.map((item) =>
    item.in === 'body' ? { ...item, pointer: body + item.pointer.slice(1) } : item,
  )
  return withErrors(error, errors)
}

// An error without pointers gets one to its item.
function withPlace(error: ApiError, { path }: Item): ApiError {
  const { code, detail, errors, title } = error
  if (errors?.some((item) => item.in === 'body')) return error
  const place = { in: 'body', code, pointer: toPointer(path), detail: detail ?? title } as const
  return withErrors(error, [place, ...(errors ?? [])])
}

function withErrors(error: ApiError, errors: readonly ErrorItem[]): ApiError {
  const { cause, detail, headers } = error
  return new ApiError(error, { cause, detail, headers, errors })
}

// The result of an item: what the response to the single request has as status, `ETag`, `Location` and data or error.
export function toResult({ status, etag, location, text, type }: Reply): ItemResult {
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/.test(type)
  const body: unknown = isJson && text !== '' ? JSON.parse(text) : text
  if (status >= 400) return { status, error: body }
  return { status, etag, location, ...(text !== '' && { data: body }) }
}
