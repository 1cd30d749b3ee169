import { isReservedWord } from '../names/reserved.ts'
import { key, text } from '../code/literals.ts'
import { type Document, type Json, type Omission, toJson, toList, Unsupported } from './document.ts'
import { readFailures, toFailureType } from './failures.ts'
import { type ClientOperation } from './read-operations.ts'
import { describe, type SchemaTypes, toUnion } from './schema-types.ts'
import { toName, toTypeName } from './type-names.ts'

export interface WrittenMethod {
  readonly operation: ClientOperation
  /** Members of the interface of the resource. */
  readonly signatures: string
  /** What a call returns. */
  readonly returns: string
  /** Entry of the table of operations. */
  readonly entry: string
  /** Types of the failures of the operation. */
  readonly failures: readonly string[]
  /** Name of the type of the failures. */
  readonly failureName: string
}

export interface MethodContext {
  readonly document: Document
  readonly types: SchemaTypes
  readonly omit: (omission: Omission) => void
  /** The type that GET of a path returns. */
  readonly documents: ReadonlyMap<string, string>
  readonly claim: (name: string) => string
}

interface Success {
  /** What a call returns. */
  readonly type: string
  /** Type of the items, for a list with cursors. */
  readonly item?: string | undefined
  /** A further member of the entry. */
  readonly entry?: string
  /** What a stream of events contains. */
  readonly event?: string
}

export function writeMethod(operation: ClientOperation, context: MethodContext): WrittenMethod {
  const { definition, id, name, path } = operation
  const success = toSuccess(operation, context)
  const target = toTarget(operation)
  const body = toBody(operation, context)
  const query = toQuery(operation, context)
  const failureName = context.claim(`${toTypeName(id)}Failure`)
  const current = context.documents.get(path) ?? 'unknown'
  const lists = success.item !== undefined && query !== undefined && name === 'list'
  const written = { success, target, body, query, failureName }
  return {
    operation,
    failureName,
    failures: [
      ...new Set(
        readFailures(context.document, definition).map((one) => toFailureType(one, current)),
      ),
    ],
    returns: success.type,
    entry: toEntry(operation, written, lists),
    signatures: [
      toSignature(operation, written),
      ...(lists ? [toListSignatures(operation, written, query.type)] : []),
    ].join('\n'),
  }
}

interface Written {
  readonly success: Success
  readonly target: Target
  readonly body: Part | undefined
  readonly query: { readonly argument: string; readonly type: string } | undefined
  readonly failureName: string
}

interface Target {
  /** The arguments for the parameters of the path. */
  readonly argument: readonly string[]
  /** Member of a document that takes the place of the last one. */
  readonly key: string
}

function toTarget({ method, parameters, path }: ClientOperation): Target {
  const takesDocument = ['PUT', 'PATCH', 'DELETE'].includes(method) && path.endsWith('}')
  const inPath = parameters.filter((one) => one['in'] === 'path')
  const last = inPath.length - 1
  return {
    argument: inPath.map((one, index) => toArgument(one, takesDocument && index === last)),
    key: takesDocument ? String(inPath[last]?.['name']) : 'id',
  }
}

function toSignature(
  { definition, name }: ClientOperation,
  { body, failureName, query, success, target }: Written,
): string {
  const { description, summary = description } = definition
  const args = [...target.argument, body?.argument, query?.argument, 'options?: CallOptions']
  const result = success.event
    ? `AsyncGenerator<${success.event}>`
    : `Call<${success.type}, ${failureName}>`
  const call = args.filter((argument) => argument !== undefined).join(', ')
  return `${describe({ ...definition, description: summary })}${key(name)}(${call}): ${result}`
}

function toListSignatures(
  { definition }: ClientOperation,
  { success: { item, type }, target }: Written,
  query: string,
): string {
  const args = [...target.argument, `query?: EachQuery<${query}>`, 'options?: EachOptions'].join(
    ', ',
  )
  const toComment = (description: string): string => describe({ ...definition, description })
  return [
    `${toComment('Reads the documents of all pages.')}each(${args}): AsyncIterable<${item}>`,
    `${toComment('Reads all pages.')}pages(${args}): AsyncIterable<${type}>`,
  ].join('\n')
}

function toEntry(
  operation: ClientOperation,
  { body, query, success, target }: Written,
  lists: boolean,
): string {
  const { method, name, path } = operation
  const members = [
    `method: ${text(method)}`,
    `path: ${text(path)}`,
    body && `body: ${body.entry}`,
    query && 'query: true',
    success.entry,
    lists && 'cursor: true',
    target.key !== 'id' && `key: ${text(target.key)}`,
    isIdempotent(operation) && 'idempotent: true',
  ]
  return `${key(name)}: { ${members.filter(Boolean).join(', ')} }`
}

export function isIdempotent({ parameters }: ClientOperation): boolean {
  return parameters.some(
    (one) => one['in'] === 'header' && /^idempotency-key$/i.test(String(one['name'])),
  )
}

function toArgument(parameter: Json, takesDocument: boolean): string {
  const name = String(parameter['name'])
  const { type } = toJson(parameter['schema'])
  const value = type === 'integer' || type === 'number' ? 'number' : 'string'
  return takesDocument
    ? `${toVariable(name)}: ${value} | { readonly ${key(name)}: ${value} }`
    : `${toVariable(name)}: ${value}`
}

// The other parameters of a method.
const taken = ['options', 'body', 'query']

function toVariable(name: string): string {
  const variable = toName(name)
  return taken.includes(variable) || isReservedWord(variable) ? `${variable}Value` : variable
}

function toSuccess({ definition, parameters }: ClientOperation, context: MethodContext): Success {
  const responses = Object.entries(toJson(definition['responses']))
  const found = responses.filter(([status]) => status.startsWith('2'))
  if (found.length === 0) found.push(...responses.filter(([status]) => status === 'default'))
  const hasCursor = parameters.some((one) => one['in'] === 'query' && one['name'] === 'cursor')
  const successes = found.map(([, response]) =>
    toOneSuccess(context.document.resolve(response), hasCursor, context),
  )
  const [first] = successes
  if (!first) return { type: 'void' }
  const main = successes.find(({ type }) => type !== 'void') ?? first
  const entries = new Set(successes.filter(({ type }) => type !== 'void').map(({ entry }) => entry))
  if (entries.size > 1) throw new Unsupported('its successful responses have different forms')
  return { ...main, type: toUnion(successes.map(({ type }) => type)) }
}

function toOneSuccess(
  response: Json,
  hasCursor: boolean,
  { document, types }: MethodContext,
): Success {
  const content = Object.entries(toJson(response['content']))
  const [first] = content
  if (!first) return { type: 'void' }
  const json = content.find(([type]) => isJsonType(type))
  if (!json) return toChanges(first, types, document) ?? toRaw(first[0])
  const { schema } = toJson(json[1])
  const { properties, required } = document.resolve(schema)
  const members = toJson(properties)
  const { data } = members
  if (Object.keys(members).join() === 'data' && toList(required).includes('data')) {
    return { type: types.toType(data), entry: "data: 'data'" }
  }
  const items = data === undefined ? undefined : document.resolve(data)['items']
  const isPage =
    hasCursor && items !== undefined && hasMember(document, members['meta'], 'nextCursor')
  return { type: types.toType(schema), item: isPage ? types.toType(items) : undefined }
}

// The stream of a live list.
function toChanges(
  [type, media]: [string, unknown],
  types: SchemaTypes,
  document: Document,
): Success | undefined {
  if (!type.startsWith('text/event-stream')) return undefined
  const { anyOf, oneOf } = document.resolve(toJson(media)['schema'])
  const events = new Map(
    toList(oneOf ?? anyOf).map((one) => {
      const members = toJson(document.resolve(one)['properties'])
      return [toJson(members['type'])['const'], members]
    }),
  )
  const isLive = ['changed', 'removed', 'reset'].every((name) => events.has(name))
  const { data } = events.get('changed') ?? {}
  if (!isLive || data === undefined) return undefined
  const item = types.toType(data)
  return { type: 'void', entry: 'events: readChanges', event: `ListChange<${item}>` }
}

function toRaw(type: string): Success {
  if (type.startsWith('text/event-stream')) {
    return { type: 'void', entry: 'events: readEvents', event: 'ServerEvent' }
  }
  if (/ndjson|jsonl|json-seq/.test(type)) {
    return { type: 'ReadableStream<Uint8Array>', entry: "raw: 'stream'" }
  }
  return type.startsWith('text/')
    ? { type: 'string', entry: "raw: 'text'" }
    : { type: 'Blob', entry: "raw: 'blob'" }
}

function hasMember(document: Document, schema: unknown, name: string, depth = 0): boolean {
  const { allOf, anyOf, oneOf, properties } = document.resolve(schema)
  const parts = depth > 5 ? [] : [allOf, anyOf, oneOf].flatMap(toList)
  return (
    Object.hasOwn(toJson(properties), name) ||
    parts.some((part) => hasMember(document, part, name, depth + 1))
  )
}

function isJsonType(type: string): boolean {
  return /^(application\/json|[^;]+\+json|\*\/\*)(\s*;|$)/.test(type)
}

interface Part {
  readonly argument: string
  readonly entry: string
}

function toBody({ definition, id }: ClientOperation, context: MethodContext): Part | undefined {
  if (definition['requestBody'] === undefined) return undefined
  const { content, required } = context.document.resolve(definition['requestBody'])
  const media = Object.entries(toJson(content))
  const find = (matches: (type: string) => boolean) => media.find(([type]) => matches(type))
  const chosen =
    find((type) => type.startsWith('application/merge-patch+json')) ??
    find((type) => isJsonType(type)) ??
    find((type) => type === 'multipart/form-data') ??
    find((type) => type === 'application/x-www-form-urlencoded')
  if (!chosen) throw new Unsupported(`its body is ${media.map(([type]) => type).join(' or ')}`)
  const [type, value] = chosen
  const { schema } = toJson(value)
  const isForm = type === 'application/x-www-form-urlencoded'
  const sent = isForm ? toFlatForm(schema, id, context) : schema
  const mark = required === true ? '' : '?'
  const entry =
    type === 'multipart/form-data' ? 'form' : text(type === '*/*' ? 'application/json' : type)
  return { entry, argument: `body${mark}: ${toBodyType(sent, definition, { id, context })}` }
}

function toBodyType(
  schema: unknown,
  definition: Json,
  { context, id }: { readonly id: string; readonly context: MethodContext },
): string {
  const { $ref: reference } = toJson(definition['requestBody'])
  if (typeof toJson(schema)['$ref'] === 'string') return context.types.toType(schema)
  const name = typeof reference === 'string' ? reference.split('/').at(-1) : undefined
  return context.types.declare(name ?? `${toTypeName(id)}Body`, schema)
}

// A form has texts only: members that are lists or objects have no agreed form.
function toFlatForm(schema: unknown, id: string, { document, omit }: MethodContext): Json {
  const { properties, required, ...rest } = document.resolve(schema)
  const kept = Object.entries(toJson(properties)).filter(([name, value]) => {
    const json = document.resolve(value)
    const isNested = [json, ...[json['anyOf'], json['oneOf'], json['allOf']].flatMap(toList)]
      .map((part) => document.resolve(part)['type'])
      .some((type) => type === 'object' || type === 'array')
    if (!isNested) return true
    if (toList(required).includes(name))
      throw new Unsupported(`the member ${name} of its form is nested`)
    omit({
      what: `member ${name} of the form of ${id}`,
      why: 'nested members of forms are not supported',
    })
    return false
  })
  return { ...rest, type: 'object', required, properties: Object.fromEntries(kept) }
}

function toQuery(
  { id, parameters }: ClientOperation,
  { document, omit, types }: MethodContext,
): { readonly argument: string; readonly type: string } | undefined {
  const kept = parameters.filter((parameter) => {
    if (parameter['in'] !== 'query') return false
    const why = findQueryFault(document, parameter)
    if (why === undefined) return true
    const what = `query parameter ${String(parameter['name'])}`
    if (parameter['required'] === true) throw new Unsupported(`the ${what} ${why}`)
    omit({ what: `${what} of ${id}`, why: `it ${why}` })
    return false
  })
  if (kept.length === 0) return undefined
  const required = kept.filter((one) => one['required'] === true).map((one) => one['name'])
  const properties = kept.map((one) => [
    String(one['name']),
    {
      ...toJson(one['schema']),
      description: one['description'] ?? toJson(one['schema'])['description'],
    },
  ])
  const schema = { type: 'object', required, properties: Object.fromEntries(properties) }
  const type = types.declare(`${toTypeName(id)}Query`, schema)
  return { type, argument: `query${required.length > 0 ? '' : '?'}: ${type}` }
}

function findQueryFault(document: Document, parameter: Json): string | undefined {
  const { content, explode, schema, style = 'form' } = parameter
  if (content !== undefined) return 'has "content" instead of a schema'
  const { type } = document.resolve(schema)
  if (type === 'array' && (style !== 'form' || explode === false)) {
    return `has the style ${String(style)}${explode === false ? ' without explode' : ''}`
  }
  return type === 'object' && style !== 'deepObject'
    ? `is an object with the style ${String(style)}`
    : undefined
}
