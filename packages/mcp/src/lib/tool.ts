import { bundleSchema } from './bundle-schema.ts'
import { type Chosen, toRoute } from './choose-operations.ts'
import { isJsonObject, type JsonObject, objectAt } from './json.ts'
import { follow, type Operation, type Parameter } from './operations.ts'
import { toToolName } from './tool-name.ts'

/** A tool as `tools/list` describes it. */
export interface ToolDefinition {
  /** Unique name: `posts_list`. */
  readonly name: string
  /** Name for people. */
  readonly title: string
  /** What the tool does, for the program that chooses it. */
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonObject & { readonly type: 'object' }
  /** JSON Schema of `structuredContent`. */
  readonly outputSchema: JsonObject & { readonly type: 'object' }
  /** Hints that follow from the method of the route. */
  readonly annotations: ToolAnnotations
}

/** What a client may assume about a tool. */
export interface ToolAnnotations {
  /** Whether it changes nothing. */
  readonly readOnlyHint: boolean
  /** Whether it can delete or overwrite something. */
  readonly destructiveHint: boolean
  /** Whether a second call with the same arguments changes nothing more. */
  readonly idempotentHint: boolean
  /** Whether it reaches beyond this service. */
  readonly openWorldHint: boolean
}

/** Where the value of an argument is sent. */
export interface Argument {
  readonly in: Parameter['in'] | 'body'
  readonly name: string
  readonly required: boolean
}

export interface Tool {
  readonly definition: ToolDefinition
  readonly operation: Operation
  readonly parameters: ReadonlyMap<string, Argument>
  /** Most items of a page, for a list whose pages the tool joins. */
  readonly pageSize: number | undefined
}

export interface ToolOptions {
  readonly schemas: JsonObject
  /** Most items that a list returns. */
  readonly maxItems: number
}

// Throws TypeError for an operation that cannot be a tool.
export function createTool({ operation, name, description }: Chosen, options: ToolOptions): Tool {
  requireJson(operation)
  const pageSize = toPageSize(operation, options.schemas)
  const shown = operation.parameters.filter((one) => isShown(one, pageSize !== undefined))
  const parameters = nameArguments(operation, shown)
  const properties = shown.map((parameter, index) => [
    [...parameters.keys()][index],
    describeParameter(parameter, pageSize === undefined ? undefined : options.maxItems),
  ])
  const { body, summary } = operation
  const required = [...parameters].filter(([, one]) => one.required).map(([key]) => key)
  const input = {
    type: 'object' as const,
    properties: {
      ...Object.fromEntries(properties),
      ...(body?.json && { body: body.json.schema }),
    },
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
  const output = describeResult(operation, pageSize !== undefined, options.schemas)
  return {
    operation,
    parameters,
    pageSize,
    definition: {
      name: toToolName(operation, pageSize !== undefined || isArray(operation, options), name),
      title: summary,
      description: description ?? [`${summary}.`, operation.description].join(' ').trim(),
      inputSchema: { ...bundleSchema(input, options.schemas, 'input'), type: 'object' },
      outputSchema: { ...bundleSchema(output, options.schemas, 'output'), type: 'object' },
      annotations: annotate(operation),
    },
  }
}

function requireJson(operation: Operation): void {
  const route = toRoute(operation)
  const { body, response } = operation
  if (body && !body.json) {
    throw new TypeError(
      `${route} cannot be a tool: its body is ${body.types.join(', ')}, not JSON.`,
    )
  }
  if (response.content && !response.content.json) {
    const types = response.content.types.join(', ')
    throw new TypeError(`${route} cannot be a tool: its response is ${types}, not JSON.`)
  }
}

// Undefined for what is not a list with cursors in the envelope of the framework.
function toPageSize(
  { method, parameters, response }: Operation,
  schemas: JsonObject,
): number | undefined {
  const limit = parameters.find((one) => one.in === 'query' && one.name === 'limit')
  const hasCursor = parameters.some((one) => one.in === 'query' && one.name === 'cursor')
  const maximum = limit?.schema['maximum']
  if (method !== 'GET' || !hasCursor || typeof maximum !== 'number') return undefined
  const { properties } = follow(response.content?.json?.schema ?? {}, schemas)
  const isList = follow(objectAt(properties, 'data'), schemas)['type'] === 'array'
  return isList && findCursorMeta(objectAt(properties, 'meta'), schemas) ? maximum : undefined
}

// Of several forms of `meta` the one with a cursor.
function findCursorMeta(meta: JsonObject, schemas: JsonObject): JsonObject | undefined {
  const own = follow(meta, schemas)
  const { anyOf = [own] } = own
  const forms = Array.isArray(anyOf) ? anyOf.filter(isJsonObject) : []
  return forms
    .map((form) => follow(form, schemas))
    .find((form) => 'nextCursor' in objectAt(form, 'properties'))
}

function isArray({ response }: Operation, { schemas }: ToolOptions): boolean {
  const body = follow(response.content?.json?.schema ?? {}, schemas)
  const data = follow(objectAt(body['properties'], 'data'), schemas)
  return body['type'] === 'array' || data['type'] === 'array'
}

const headers = new Set(['if-match', 'idempotency-key'])

// The headers of the MCP request name the caller and the organization, never an argument. A list has cursors or
// numbers of pages.
function isShown({ in: place, name }: Parameter, isPaged: boolean): boolean {
  if (place === 'header') return headers.has(name.toLowerCase())
  return !(isPaged && place === 'query' && (name === 'page' || name === 'offset'))
}

// Clients accept letters, digits, `_`, `.` and `-` only: `createdAt[gte]` becomes `createdAt_gte`.
function nameArguments(
  { body }: Operation,
  parameters: readonly Parameter[],
): ReadonlyMap<string, Argument> {
  const names = new Map<string, Argument>()
  for (const { in: place, name, required } of parameters) {
    const wanted = place === 'header' ? toCamel(name) : toWord(name)
    let free = wanted
    for (let count = 2; names.has(free) || free === 'body'; count++) free = `${wanted}_${count}`
    names.set(free, { in: place, name, required })
  }
  if (body) names.set('body', { in: 'body', name: 'body', required: body.required })
  return names
}

function toWord(name: string): string {
  return name
    .replaceAll(/[^A-Za-z0-9.-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 60)
}

function toCamel(header: string): string {
  const words = header.toLowerCase().split('-')
  return words
    .map((word, at) => (at === 0 ? word : word[0]?.toUpperCase() + word.slice(1)))
    .join('')
}

const descriptions: ReadonlyMap<string, string> = new Map(
  Object.entries({
    cursor: '`meta.nextCursor` of the previous result. Repeat the other arguments unchanged.',
    'If-Match': '`etag` of the version to change.',
    'Idempotency-Key': 'Unique key of the call, which can be repeated with it.',
  }),
)

function describeParameter(parameter: Parameter, maxItems: number | undefined): JsonObject {
  const { in: place, name, schema } = parameter
  const { default: _, ...type } = schema
  const [, operator] = /\[(\w+)\]$/.exec(name) ?? []
  // The filter without operator states what a value looks like.
  if (place === 'query' && operator !== undefined && operator !== 'in')
    return { type: schema['type'] }
  const description = descriptions.get(name) ?? parameter.description
  const isLimit = place === 'query' && name === 'limit' && maxItems !== undefined
  return {
    ...(operator === 'in' ? { type: 'string' } : isLimit ? { ...schema, maximum: maxItems } : type),
    ...(description !== undefined && { description }),
  }
}

function describeResult(operation: Operation, isPaged: boolean, schemas: JsonObject): JsonObject {
  const { content, hasEtag, status } = operation.response
  const etag = hasEtag && {
    etag: { type: 'string', description: 'Version of the document, for `ifMatch`.' },
  }
  if (!content?.json) {
    return { type: 'object', properties: { status: { const: status } }, required: ['status'] }
  }
  const body = follow(content.json.schema, schemas)
  // What is not an object is the member `body`, because a result is an object.
  if (body['type'] !== 'object') {
    return {
      type: 'object',
      properties: { body: content.json.schema, ...etag },
      required: ['body'],
    }
  }
  const properties = objectAt(body, 'properties')
  const meta = isPaged ? findCursorMeta(objectAt(properties, 'meta'), schemas) : undefined
  return { ...body, properties: { ...properties, ...(meta && { meta }), ...etag } }
}

function annotate({ method, response }: Operation): ToolAnnotations {
  const isRead = method === 'GET'
  const isCreating = method === 'POST' && response.status === 201
  return {
    readOnlyHint: isRead,
    destructiveHint: !isRead && !isCreating,
    idempotentHint: method !== 'POST',
    openWorldHint: false,
  }
}
