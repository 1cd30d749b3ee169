import { type Response } from 'express'
import { z } from 'zod'
import { type BodyParserOptions, createBodyParser } from '../http/body-parser.ts'
import { keepLongNumbers } from '../http/long-numbers.ts'
import { toDecimalDecoder } from '../schemas/decoder.ts'
import {
  createStage,
  composeStages,
  ended,
  type Stage,
  type Step,
  toStage,
} from '../stage/stage.ts'
import { toDeprecationNotice } from '../route/deprecation.ts'
import { type StreamScope } from '../route/open-streams.ts'
import { type CursorKeys, descriptions, toListing } from '../schemas/schema-marks.ts'
import { type SendError } from '../http/error-handler.ts'
import { idempotency } from '../http/idempotency.ts'
import {
  createAccessCheck,
  createAccessStage,
  evaluateReferences,
  type LoadCaller,
  loadCallerOnce,
  loadDocument,
  reportForbidden,
} from './require-access.ts'
import { toMultipartPlan } from '../uploads/multipart.ts'
import { upload } from '../uploads/upload-stage.ts'
import { type Envelope } from '../response/envelope.ts'
import { type Endpoint, type Route, toMediaType } from '../route/route.ts'
import { createStatusChoice } from './declared-status.ts'
import { decideFields, findReadRules } from './field-access.ts'
import { createDataSerializer, createRenderer } from './renderer.ts'
import { refuseReservedKeys } from './reserved-keys.ts'
import { validate } from './validate.ts'

export interface CompiledEndpoint extends Endpoint {
  readonly parameterNames: readonly string[]
  /** Media type of a success, without its parameters. */
  readonly mediaType: string
  /** Media types of a success that depend on the request. */
  readonly otherTypes: readonly string[]
  readonly run: Step
}

export interface EndpointOptions {
  /** Path that the route is mounted at. */
  prefix: string
  /**
   * Name of the group in the OpenAPI document.
   * @default the last literal segment of the path
   */
  tag?: string | undefined
  /**
   * Limits of the request body.
   * @default the defaults of the body parser
   */
  body?: BodyParserOptions | undefined
  /**
   * Whether a response that does not match its schema is an error; otherwise unknown fields are dropped.
   * @default true outside production
   */
  strict?: boolean | undefined
  /**
   * The paths of all routes.
   * @default none
   */
  paths?: readonly string[] | undefined
  /** The model of its router. */
  model?: Endpoint['model']
  /** Passed to {@link createSerializer}. */
  compile?: boolean | undefined
  /**
   * Wraps `data` and `meta`, unless the route has its own envelope.
   * @default `{ data, meta }`
   */
  envelope?: Envelope | undefined
  /**
   * Keys that sign the cursors of lists.
   * @default a random key of this process
   */
  cursorKeys?: CursorKeys | undefined
  /**
   * The functions that streams of events need.
   * @default undefined, they end only with their clients
   */
  streams?: StreamScope | undefined
  /**
   * Sends the error of an item of a bulk request.
   * @default a problem (RFC 9457)
   */
  sendError?: SendError | undefined
  /**
   * Loads the caller of a request.
   * @default its authenticator
   */
  loadCaller?: LoadCaller | undefined
}

export function compileEndpoint(route: Route, options: EndpointOptions): CompiledEndpoint {
  const path = toPath(route, options)
  const name = `${route.method.toUpperCase()} ${path}`
  const stages = [
    createAccessStage(route.access, options.loadCaller),
    ...decideFields(route, name),
    ...evaluateReferences(route),
    ...loadDocument(route),
    ...(route.before ?? []).map(toStage),
    ...toInputStages(route, options),
    ...refuseReservedKeys(route, path, options.paths ?? []),
    ...signCursors(route, options.cursorKeys),
    ...(route.idempotent ? [idempotency()] : []),
    callController(route),
  ]
  return {
    method: route.method.toUpperCase(),
    path,
    route,
    tag: route.tag ?? options.tag,
    model: options.model,
    parameterNames: [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? ''),
    mediaType: toMediaType(route),
    toStatus: createStatusChoice(route, name),
    render: createRenderer(route, { ...options, name }),
    deprecation: toDeprecationNotice(route.deprecated, name),
    toData: route.formats && createDataSerializer(route, { ...options, name }),
    dependsOnCaller: findReadRules(route).length > 0,
    checkAccess: route.access === 'public' ? undefined : createAccessCheck(route.access),
    streams: options.streams,
    items: compileItems(route, options),
    otherTypes: toOtherTypes(route),
    run: composeStages(stages).step,
  }
}

// The response of an item consists of its data only: the whole response has the envelope. Its key is that of the whole request.
function compileItems(
  route: Route,
  options: EndpointOptions,
): CompiledEndpoint['items'] | undefined {
  const { body, sendError } = options
  const ofItems = { ...options, loadCaller: loadCallerOnce }
  const endpoints = route.items?.map((item) =>
    compileEndpoint({ ...item, envelope: toData, meta: undefined, idempotent: false }, ofItems),
  )
  return endpoints && { endpoints, body, sendError }
}

function toData(data: unknown): unknown {
  return data
}

function toOtherTypes({ response }: Route): readonly string[] {
  const description = response instanceof z.ZodType ? descriptions.get(response) : undefined
  return description?.otherTypes ?? []
}

export function toPath(route: Route, { prefix }: EndpointOptions): string {
  return prefix + (route.path === '/' && prefix ? '' : route.path)
}

// The body of an upload is read last: its files are written while it arrives.
function toInputStages(route: Route, options: EndpointOptions): Stage[] {
  const { body, params, query } = route
  const plan = toMultipartPlan(body)
  if (body && plan) {
    if (route.idempotent) {
      throw new TypeError(
        `${route.method.toUpperCase()} ${toPath(route, options)} cannot be idempotent: its body is not kept. Remove idempotent, or upload first and pass the id of the file to an idempotent route.`,
      )
    }
    return [validate({ params, query }), upload(body, plan)]
  }
  if (!body) return [validate(route)]
  if (route.readBody) return [toStage(route.readBody), validate(route)]
  const onText = toDecimalDecoder(body) && keepLongNumbers
  return [createBodyParser({ ...options.body, ...toConsumes(route) }, onText), validate(route)]
}

function toConsumes(route: Route): BodyParserOptions {
  if (route.consumes) return { types: route.consumes }
  return route.method === 'patch'
    ? { types: ['application/json', 'application/merge-patch+json'] }
    : {}
}

function signCursors({ query }: Route, cursorKeys: CursorKeys | undefined): Stage[] {
  if (!cursorKeys || !toListing(query)) return []
  return [
    createStage((req) => {
      req.valid.query = Object.assign({}, req.valid.query, { cursorKeys })
    }),
  ]
}

function callController(route: Route): Stage {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- defineRoute has checked the types of the handler against the schemas
  const called = route as { handler(req: unknown, res: Response): void | Promise<void> }
  return createStage((req, res) => {
    const onError = (error: unknown): never => {
      reportForbidden(req, error)
      throw error
    }
    try {
      // Read at each call: a dry run of `api import` replaces it.
      const pending = called.handler(req, res)
      return pending instanceof Promise ? pending.then(toEnded, onError) : ended
    } catch (error) {
      return onError(error)
    }
  })
}

function toEnded(): typeof ended {
  return ended
}
