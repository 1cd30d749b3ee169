import { type Request } from 'express'
import { type ZodType } from 'zod'
import { ApiError } from '../errors/api-error.ts'
import { toPointer } from '../errors/to-pointer.ts'
import { createValidationError, toErrorItems } from '../errors/to-error-items.ts'
import { findLongNumbers } from '../http/long-numbers.ts'
import { createStage, type Stage } from '../stage/stage.ts'
import { type Access } from '../access/access.ts'
import { type ApiRequest } from '../route/request.ts'
import { type Route } from '../route/route.ts'
import { type Decoder, toDecimalDecoder, toJsonDecoder, toTextDecoder } from '../schemas/decoder.ts'
import { parseValue } from '../schemas/parse-value.ts'
import { findLists } from '../schemas/require-sendable.ts'
import { includes } from '../schemas/schema-marks.ts'
import { type CallerBody, toCallerBody, toCallerQuery } from './caller-schemas.ts'
import { nothing, toScope } from '../access/scope.ts'

type Query = Readonly<Record<string, string | string[]>>

const noQuery: Query = Object.freeze(Object.create(null))
const noLists: ReadonlySet<string> = new Set()
const toNothing = (): undefined => undefined

/**
 * Creates the stage that parses params, query and body by the schemas of a route into `req.valid`. Invalid
 * params return 404, like a missing resource, an invalid query 400, an invalid body 422, an empty one 400.
 * Restricted fields count as unknown unless the route has admitted its caller to them. Where a schema of params
 * or query has numbers, booleans, dates or lists, the text is converted; in a body, dates and bigints are text.
 * @param schemas - the route, or an object with the same schemas
 * @returns the stage
 */
export function validate(schemas: Pick<Route, 'params' | 'query' | 'body'>): Stage {
  const { params, query, body } = schemas
  const toQuerySchema = toCallerQuery(query)
  const toBody = body && toCallerBody(body)
  const canInclude = query !== undefined && includes.has(query)
  const lists = query ? findLists(query) : noLists
  const parseParams = toParamsParser(params)
  const decodeQuery = query && toTextDecoder(query)
  const decodeBody = body ? toBodyDecoder(body) : toNothing
  return createStage((req): void | Promise<void> => {
    const parameters = toQuery(req.url, lists)
    req.valid = {
      params: parseParams(req),
      query: parseQuery(toQuerySchema(req), parameters, decodeQuery),
      body: toBody && parseBody(toBody(req), req, decodeBody),
    }
    if (canInclude) return evaluateIncludes(req)
  })
}

function toBodyDecoder(schema: ZodType): (req: Request) => unknown {
  const decodeDecimals = toDecimalDecoder(schema)
  const decodeJson = toJsonDecoder(schema)
  return (req) => {
    const longNumbers = decodeDecimals && findLongNumbers(req)
    const body = longNumbers === undefined ? req.body : decodeDecimals?.(req.body, longNumbers)
    return decode(decodeJson, body)
  }
}

function decode(decoder: Decoder | undefined, value: unknown): unknown {
  return decoder ? decoder(value) : value
}

interface Including {
  readonly include?: readonly { readonly access: Access }[] | undefined
}

// Adds to each chosen include what the caller can read of it.
async function evaluateIncludes(req: ApiRequest): Promise<void> {
  const query: Including = Object(req.valid.query)
  if (!query.include) return
  const include = query.include.map(async (chosen) => {
    const scope = await toScope(chosen.access, req.user, req)
    return { ...chosen, scope: scope ?? nothing }
  })
  req.valid.query = Object.assign({}, query, { include: await Promise.all(include) })
}

export function toParamsParser(schema: ZodType | undefined): (req: Request) => unknown {
  if (!schema) return () => undefined
  const decoder = toTextDecoder(schema)
  return ({ params }) => {
    const { issues, value } = parseValue(schema, decode(decoder, params))
    if (issues) throw new ApiError('not_found')
    return value
  }
}

function parseQuery(
  schema: ZodType | undefined,
  query: Query,
  decoder: Decoder | undefined,
): unknown {
  if (!schema) {
    for (const name in query) throw queryError(name, 'unrecognized_key', 'is not allowed')
    return undefined
  }
  const { issues, value } = parseValue(schema, decode(decoder, query))
  if (!issues) return value
  throw new ApiError('invalid_query', { errors: toErrorItems(issues, 'query') })
}

function parseBody(
  { schema, complete }: CallerBody,
  req: Request,
  decodeBody: (req: Request) => unknown,
): unknown {
  const { issues, value } = parseValue(schema, decodeBody(req))
  if (!issues) return complete(value, req.method)
  // A Content-Type announces a body; the empty text is not JSON.
  if (req.body === undefined && req.headers['content-type'] !== undefined) {
    throw new ApiError('malformed_json', { detail: 'The body is empty.' })
  }
  throw createValidationError(toErrorItems(issues, 'body'))
}

// Flat, by URLSearchParams: user text never becomes a nested key, whatever query parser the app uses.
function toQuery(url: string, lists: ReadonlySet<string>): Query {
  const start = url.indexOf('?')
  if (start === -1 || start === url.length - 1) return noQuery
  const query: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
    const earlier = query[name]
    if (earlier === undefined) query[name] = value
    else if (typeof earlier !== 'string') earlier.push(value)
    else if (lists.has(name)) query[name] = [earlier, value]
    else throw queryError(name, 'repeated', 'is repeated')
  }
  return query
}

function queryError(name: string, code: string, detail: string): ApiError {
  const pointer = toPointer([name])
  return new ApiError('invalid_query', { errors: [{ in: 'query', pointer, code, detail }] })
}
