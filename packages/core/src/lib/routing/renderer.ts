import { isDeepStrictEqual } from 'node:util'
import { type Request } from 'express'
import { z, type ZodType } from 'zod'
import { ApiError } from '../errors/api-error.ts'
import { toBson } from '../json/stored-value.ts'
import {
  call,
  dataSource,
  type Envelope,
  fill,
  metaSource,
  type Template,
  toTemplate,
} from '../response/envelope.ts'
import { type Endpoint, type Route, toResponses } from '../route/route.ts'
import { forEachCaller } from './refused-rules.ts'
import { findFieldRules } from '../schemas/restrict.ts'
import { toResponseStream } from '../schemas/schema-marks.ts'
import { createBsonWriter } from '../response/bson-writer.ts'
import { createSerializer, type Serializer } from '../response/serializer.ts'

export interface RendererOptions {
  /** Method and path of the route, for errors. */
  readonly name: string
  readonly strict?: boolean | undefined
  readonly compile?: boolean | undefined
  /** The envelope of the API. */
  readonly envelope?: Envelope | undefined
}

// Creates the bodies of successful responses.
export function createRenderer(route: Route, options: RendererOptions): Endpoint['render'] {
  const responses = Array.from(toResponses(route))
  const renderers = new Map(
    responses.map(([status, data]) => [
      status,
      createOne(route, { ...options, schemas: { data, meta: route.meta } }),
    ]),
  )
  const [first = createOne(route, { ...options, schemas: { data: undefined, meta: route.meta } })] =
    renderers.values()
  return (data, meta, status, req) => (renderers.get(status) ?? first)(data, meta, status, req)
}

// Converts the data of a route that sends lists in other formats than JSON.
export function createDataSerializer(route: Route, options: RendererOptions): CallerSerializer {
  const [schema] = toResponses(route).values()
  if (route.method === 'get' && schema instanceof z.ZodArray) {
    return toCallerSerializer(schema, options)
  }
  throw new TypeError(
    `${options.name} has formats, so it must be a GET route whose response is a list: response: post.array().`,
  )
}

interface OneOptions extends RendererOptions {
  readonly schemas: { readonly data: ZodType | undefined; readonly meta: ZodType | undefined }
}

function createOne(route: Route, options: OneOptions): Endpoint['render'] {
  const { schemas } = options
  const stream = toResponseStream(schemas.data)
  if (stream && !stream.isEvents) return () => rejectData(options)
  const envelope = route.envelope ?? options.envelope
  const toMeta = requireMeta(toSerializer(schemas.meta, options), options)
  const toData = toCallerSerializer(schemas.data, options)
  if (stream) return (data, _meta, _status, req) => JSON.stringify(toData(data, req))
  if (!envelope) return toPlainRenderer(toCallerText(toData, options), toMeta)
  const wrap = toWrap(envelope, follow(envelope, options), options)
  return (data, meta, _status, req) =>
    JSON.stringify(wrap(toData(data, req), schemas.meta ? toMeta(meta) : undefined))
}

function rejectData({ name }: RendererOptions): never {
  throw fault(`The response of ${name} is a stream: end its handler with sendStream.`)
}

function toPlainRenderer(toText: CallerText, toMeta: Serializer): Endpoint['render'] {
  return (data, meta, _status, req) => {
    const text = `{"data":${toText(data, req)}`
    const shown = toMeta(meta)
    return shown === undefined ? `${text}}` : `${text},"meta":${JSON.stringify(shown)}}`
  }
}

type CallerSerializer = (value: unknown, req: Request) => unknown

// Fields that the caller may not read are left out.
function toCallerSerializer(
  schema: ZodType | undefined,
  options: RendererOptions,
): CallerSerializer {
  const fieldRules = findFieldRules(schema, 'readable')
  if (!schema || fieldRules.length === 0) return toSerializer(schema, options)
  const serializerOf = forEachCaller(fieldRules, (refused) =>
    createSerializer(schema, { ...options, refused }),
  )
  return (value, req) => serializerOf(req)(value)
}

type CallerText = (value: unknown, req: Request) => string | undefined

// Documents that nothing has used are written as they are stored. They are decoded only if they are checked.
function toCallerText(
  toData: CallerSerializer,
  { schemas: { data: schema }, ...options }: OneOptions,
): CallerText {
  const toText: CallerText = (value, req) => JSON.stringify(toData(value, req))
  if (!schema || options.strict !== false) return toText
  const writerOf = forEachCaller(findFieldRules(schema, 'readable'), (refused) =>
    createBsonWriter(schema, { ...options, refused }),
  )
  return (value, req) => {
    const stored = toBson(value)
    return stored ? writerOf(req)(stored) : toText(value, req)
  }
}

function toSerializer(schema: ZodType | undefined, options: RendererOptions): Serializer {
  return schema ? createSerializer(schema, options) : (value) => value
}

// The document says that `meta` is there.
function requireMeta(toMeta: Serializer, { name, schemas, strict }: OneOptions): Serializer {
  return (meta) => {
    if (meta !== undefined) return toMeta(meta)
    if (!schemas.meta || strict === false) return undefined
    throw fault(`${name} describes meta, but success() was called without it.`)
  }
}

function follow(envelope: Envelope<never, never>, { name, schemas }: OneOptions): Template {
  try {
    return toTemplate(envelope, schemas)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new TypeError(
      `The envelope of ${name} cannot be described: ${reason}. An envelope places data, meta, their members and constants. Compute other values in the handler and pass them as meta, or describe the whole body as response and write envelope: (body) => body.`,
      { cause },
    )
  }
}

type Wrap = (data: unknown, meta: unknown) => unknown

// The envelope itself decides nothing at run time, so that responses are as the document says. Outside
// production it is compared with them: a condition on a value cannot be followed, and shows only here.
function toWrap(
  envelope: Envelope<never, never>,
  template: Template,
  { name, strict }: RendererOptions,
): Wrap {
  const wrap: Wrap = (data, meta) =>
    fill(
      template,
      new Map([
        [dataSource, data],
        [metaSource, meta],
      ]),
    )
  if (strict === false) return wrap
  return (data, meta) => {
    const body = wrap(data, meta)
    if (!isDeepStrictEqual(toJson(body), toJson(call(envelope, data, meta)))) {
      throw fault(
        `The envelope of ${name} returns another body than the OpenAPI document describes. It must place values and not decide by them.`,
      )
    }
    return body
  }
}

function toJson(value: unknown): unknown {
  const text: string | undefined = JSON.stringify(value)
  return text === undefined ? undefined : JSON.parse(text)
}

function fault(message: string): ApiError {
  return new ApiError('internal_error', { cause: new Error(message) })
}
