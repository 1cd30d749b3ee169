import { type Response } from 'express'
import { bodyParser, type BodyParserOptions } from '../http/body-parser.ts'
import {
  createStage,
  composeStages,
  ended,
  type Stage,
  type Step,
  toStage,
} from '../kernel/stage.ts'
import { type CursorKeys, toListing } from '../kernel/schema-marks.ts'
import { idempotency } from '../http/idempotency.ts'
import { createSerializer } from '../kernel/serializer.ts'
import { requireAccess, requireRule } from './require-access.ts'
import { type Endpoint, type Envelope, type Route, toMediaType } from '../kernel/route.ts'
import { validate } from './validate.ts'

export interface CompiledEndpoint extends Endpoint {
  readonly parameterNames: readonly string[]
  /** Media type of a success, without its parameters. */
  readonly mediaType: string
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
}

export function compileEndpoint(route: Route, options: EndpointOptions): CompiledEndpoint {
  const path = options.prefix + (route.path === '/' && options.prefix ? '' : route.path)
  const stages = [
    requireAccess(route.access),
    ...requireRule(route),
    ...(route.before ?? []).map(toStage),
    ...(route.body ? [bodyParser({ ...options.body, ...toConsumes(route) })] : []),
    validate(route),
    ...signCursors(route, options.cursorKeys),
    ...(route.idempotent ? [idempotency()] : []),
    callController(route),
  ]
  return {
    method: route.method.toUpperCase(),
    path,
    route,
    tag: options.tag,
    parameterNames: [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? ''),
    mediaType: toMediaType(route),
    render: toRenderer(route, options),
    run: composeStages(stages).step,
  }
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
  const handler = route.handler as (req: unknown, res: Response) => void | Promise<void>
  return createStage((req, res) => {
    const pending = handler(req, res)
    return pending instanceof Promise ? pending.then(toEnded) : ended
  })
}

function toEnded(): typeof ended {
  return ended
}

function toRenderer(
  route: Route,
  { strict, compile, ...options }: EndpointOptions,
): Endpoint['render'] {
  const envelope = route.envelope ?? options.envelope
  const toData = route.response ? createSerializer(route.response, { strict, compile }) : asIs
  const toMeta = route.meta ? createSerializer(route.meta, { strict, compile }) : asIs
  if (envelope) {
    return (data, meta) =>
      JSON.stringify(envelope(toData(data), meta === undefined ? undefined : toMeta(meta)))
  }
  return (data, meta) => {
    const text = `{"data":${JSON.stringify(toData(data))}`
    return meta === undefined ? `${text}}` : `${text},"meta":${JSON.stringify(toMeta(meta))}}`
  }
}

function asIs(value: unknown): unknown {
  return value
}
