import { type Request, type Response } from 'express'
import { ApiError } from '../errors/api-error.ts'
import { setHttpRoute } from '../logging/tracing.ts'
import { announceDeprecation } from '../route/deprecation.ts'
import { type ListFormat, withoutParameters } from '../route/route.ts'
import { createStage, ended, type Stage } from '../stage/stage.ts'
import { type CompiledEndpoint } from './endpoint.ts'
import { createMatcher } from './matcher.ts'

// A known path with another method is a 405 with `Allow` (RFC 9110 section 15.5.6), OPTIONS a 204
// with `Allow`; an unknown path is passed on to the next handler.
export function createDispatcher(endpoints: readonly CompiledEndpoint[]): Stage {
  const matcher = createMatcher(endpoints)
  return createStage((req, res) => {
    const path = toPath(req.url)
    const match = matcher.find(req.method, path)
    if (match === undefined || isTooLong(path, req)) return
    if (match.status === 'other-method') {
      if (req.method !== 'OPTIONS') {
        throw new ApiError('method_not_allowed', { headers: { Allow: match.allow } })
      }
      res.status(204).setHeader('Allow', match.allow)
      res.end()
      return ended
    }
    const endpoint = match.value
    req.endpoint = endpoint
    // Loggers and metrics read the pattern from it.
    req.route = endpoint
    setHttpRoute(req, endpoint.path)
    if (match.values.length > 0) req.params = toParams(req, endpoint, match.values)
    if (endpoint.deprecation !== undefined) announceDeprecation(res, endpoint.deprecation)
    const { formats } = endpoint.route
    if (formats) chooseFormat(req, res, { endpoint, formats })
    else requireAcceptable(req, endpoint)
    return endpoint.run(req, res)
  })
}

// With strict routing a path with a slash at its end is another path.
function isTooLong(path: string, req: Request): boolean {
  return path.length > 1 && path.endsWith('/') && req.app.enabled('strict routing')
}

function toPath(url: string): string {
  // A client may send the whole URI, as it does to a proxy (RFC 9112 section 3.2.2).
  if (!url.startsWith('/')) return URL.canParse(url) ? new URL(url).pathname : url
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

function toParams(
  req: Request,
  { parameterNames }: CompiledEndpoint,
  values: readonly string[],
): Request['params'] {
  const params = new Params()
  // A router mounted in an Express app keeps the parameters of the path it is mounted at.
  for (const name in req.params) params[name] = req.params[name] ?? ''
  for (let index = 0; index < parameterNames.length; index++) {
    params[parameterNames[index] ?? ''] = decode(values[index] ?? '')
  }
  return params
}

// Without a prototype, like the params of Express, but with a hidden class, which
// `Object.create(null)` lacks.
class Params {
  [name: string]: string | string[]
  [index: number]: string
}
Object.setPrototypeOf(Params.prototype, null)
Reflect.deleteProperty(Params.prototype, 'constructor')

function decode(value: string): string {
  if (!value.includes('%')) return value
  try {
    return decodeURIComponent(value)
  } catch {
    throw new ApiError('invalid_encoding', { detail: 'The path is not valid UTF-8.' })
  }
}

function requireAcceptable(req: Request, { mediaType, otherTypes }: CompiledEndpoint): void {
  const { accept } = req.headers
  if (accept === undefined || accept === mediaType) return
  // The usual case: without weights `*/*` accepts any media type.
  if (accept.includes('*/*') && !accept.includes(';')) return
  if ([mediaType, ...otherTypes].every((type) => weigh(accept, type) === 0)) {
    throw new ApiError('not_acceptable', { detail: `Accept must allow ${mediaType}.` })
  }
}

interface Choice {
  readonly endpoint: CompiledEndpoint
  readonly formats: readonly ListFormat[]
}

// Of media types with the same weight, JSON is sent.
function chooseFormat(req: Request, res: Response, { endpoint, formats }: Choice): void {
  res.vary('Accept')
  const { accept = '' } = req.headers
  const choices = [
    { type: endpoint.mediaType, format: undefined },
    ...formats.map((format) => ({ type: withoutParameters(format.type), format })),
  ].map((choice) => ({ ...choice, weight: weigh(accept, choice.type) }))
  const [chosen] = choices.toSorted((left, right) => right.weight - left.weight)
  if (!chosen || chosen.weight === 0) {
    const types = choices.map(({ type }) => type).join(', ')
    throw new ApiError('not_acceptable', { detail: `Accept must allow one of ${types}.` })
  }
  req.format = chosen.format
}

// The weight of a media type, 0 to 1. `req.accepts` compares parameters too: `application/json;odata=verbose`
// would be a 406.
function weigh(accept: string, mediaType: string): number {
  if (accept.trim() === '') return 1
  const weights = new Map<string, number>()
  for (const part of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim())
    weights.set(range, Math.max(toWeight(parameters), weights.get(range) ?? 0))
  }
  const exact = mediaType.toLowerCase()
  const closest = [exact, exact.replace(/\/.*/, '/*'), '*/*'].find((range) => weights.has(range))
  return closest === undefined ? 0 : (weights.get(closest) ?? 0)
}

function toWeight(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return weight === undefined ? 1 : Number.parseFloat(weight.slice(2)) || 0
}
