import { isJsonObject, type JsonObject, objectAt } from './json.ts'
import { type Origin, type Reply, type Send } from './in-process.ts'
import { ArgumentError, toRequest } from './to-request.ts'
import { type Tool } from './tool.ts'

/** The result of a call. */
export interface ToolResult {
  /** The result as text: the JSON of `structuredContent`, or the problem (RFC 9457) of a call that failed. */
  readonly content: { readonly type: 'text'; readonly text: string }[]
  /** The result as `outputSchema` describes it; absent if the call failed. */
  readonly structuredContent?: JsonObject | undefined
  /** Whether the call failed. */
  readonly isError?: boolean | undefined
}

export interface CallContext {
  readonly send: Send
  readonly origin: Origin
  /** Most bytes of JSON that a tool which reads returns. */
  readonly maxBytes: number
}

// Calls an operation, several times for a list that is longer than a page.
export async function callTool(
  tool: Tool,
  values: JsonObject,
  context: CallContext,
): Promise<ToolResult> {
  try {
    return tool.pageSize === undefined
      ? await callOnce(tool, values, context)
      : await callForPages(tool, values, context)
  } catch (error) {
    if (error instanceof ArgumentError) return toFailure(invalidArguments(error.message))
    throw error
  }
}

async function callOnce(
  tool: Tool,
  values: JsonObject,
  { send, origin, maxBytes }: CallContext,
): Promise<ToolResult> {
  // What has been written is reported, whatever its size.
  const limit = tool.operation.method === 'GET' ? maxBytes : Infinity
  const reply = await send(toRequest(tool, values), origin, limit)
  return toResult(reply, readBody(reply), tool)
}

const defaultLimit = 20

// Reads pages until the limit is reached. What a later page lacks is reported by the call that continues.
async function callForPages(
  tool: Tool,
  values: JsonObject,
  { send, origin, maxBytes }: CallContext,
): Promise<ToolResult> {
  const limit = readLimit(tool, values)
  const items: unknown[] = []
  let last: JsonObject = {}
  let next: unknown = values['cursor'] ?? ''
  let bytes = 0
  let from = origin
  for (;;) {
    const page = { ...values, cursor: next, limit: toPageLimit(tool, limit, items.length) }
    const reply = await send(toRequest(tool, page), from, maxBytes - bytes)
    // Each further page counts in the rate limit.
    from = { ...origin, isCounted: false }
    const body = readBody(reply)
    if (reply.status !== 200 || !isPage(body)) {
      return items.length > 0
        ? joinPages(last, items, { limit, next })
        : toResult(reply, body, tool)
    }
    bytes += reply.text?.length ?? 0
    items.push(...body.data)
    last = body
    next = objectAt(body, 'meta')['nextCursor']
    const isFull = typeof limit !== 'number' || items.length >= limit
    if (isFull || typeof next !== 'string') return joinPages(last, items, { limit, next })
  }
}

// What is not a number is sent as it is, so that the service rejects it.
function readLimit({ definition }: Tool, { limit = defaultLimit }: JsonObject): unknown {
  const { maximum } = objectAt(objectAt(definition.inputSchema, 'properties'), 'limit')
  if (typeof limit === 'number' && typeof maximum === 'number' && limit > maximum) {
    throw new ArgumentError(`The argument 'limit' is at most ${maximum}.`)
  }
  return limit
}

function toPageLimit({ pageSize = 1 }: Tool, limit: unknown, count: number): unknown {
  return typeof limit === 'number' ? Math.min(limit - count, pageSize) : limit
}

function isPage(body: unknown): body is JsonObject & { readonly data: readonly unknown[] } {
  return isJsonObject(body) && Array.isArray(body['data'])
}

function joinPages(
  last: JsonObject,
  data: readonly unknown[],
  { limit, next }: { readonly limit: unknown; readonly next: unknown },
): ToolResult {
  const { nextCursor: _, ...meta } = objectAt(last, 'meta')
  return toSuccess({
    ...last,
    data,
    meta: { ...meta, limit, ...(typeof next === 'string' && { nextCursor: next }) },
  })
}

function readBody({ headers, text }: Reply): unknown {
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/.test(headers['content-type'] ?? '')
  return isJson && text !== undefined ? JSON.parse(text) : undefined
}

function toResult(
  { status, headers, text }: Reply,
  body: unknown,
  { operation }: Tool,
): ToolResult {
  if (status >= 400) {
    const { 'retry-after': delay } = headers
    const notes = delay === undefined ? [] : [`Retry-After: ${delay} seconds`]
    return toFailure(text ?? `The status is ${status}.`, ...notes)
  }
  if (text === undefined) return toFailure(tooLarge)
  const { content, hasEtag } = operation.response
  if (content === undefined || status === 204) return toSuccess({ status })
  if (body === undefined) return toFailure(unreadable(status))
  const { etag } = headers
  return toSuccess({
    ...(isJsonObject(body) ? body : { body }),
    ...(hasEtag && etag !== undefined && { etag }),
  })
}

function toSuccess(structuredContent: JsonObject): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

// Without structured content, which would have to satisfy the schema of a success.
function toFailure(...texts: readonly string[]): ToolResult {
  return { content: texts.map((text) => ({ type: 'text', text })), isError: true }
}

// Problems like those of the service, about what never reaches it.
function toProblem(code: string, title: string, detail: string): string {
  const type = `urn:problem-type:create-api/${code}`
  return JSON.stringify({ type, title, status: 400, detail, code })
}

function invalidArguments(detail: string): string {
  return toProblem('invalid_arguments', 'The arguments are not valid.', detail)
}

const tooLarge = toProblem(
  'result_too_large',
  'The result is too large.',
  'Ask for fewer items with `limit`, or for fewer fields with `fields`, where the tool has them.',
)

function unreadable(status: number): string {
  return toProblem('unreadable_result', 'The result is not JSON.', `The status is ${status}.`)
}
