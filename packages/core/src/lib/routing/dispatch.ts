import { type Request } from 'express'
import { ApiError } from '../errors/api-error.ts'
import { setHttpRoute } from '../observability/tracing.ts'
import { createStage, ended, type Stage } from '../pipeline/stage.ts'
import { allowsMediaType } from './allows-media-type.ts'
import { type CompiledEndpoint } from './endpoint.ts'
import { createMatcher } from './matcher.ts'

/**
 * Finds the endpoint of a request and runs it. A known path with another method is a 405 with
 * `Allow` (RFC 9110 section 15.5.6), OPTIONS a 204 with `Allow`; an unknown path goes on to
 * whatever stands behind.
 * @param endpoints - all that can be found
 * @returns the stage
 * @throws Error when two endpoints have the same method and path
 */
export function createDispatcher(endpoints: readonly CompiledEndpoint[]): Stage {
  const matcher = createMatcher(
    endpoints.map((endpoint) => ({
      method: endpoint.method,
      path: endpoint.path,
      value: endpoint,
    })),
  )
  return createStage((req, res) => {
    const match = matcher.find(req.method, toPath(req.url))
    if (match === undefined) return
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
    // What loggers and metrics read the pattern from.
    req.route = endpoint
    setHttpRoute(endpoint.path)
    if (match.values.length > 0) req.params = toParams(req, endpoint, match.values)
    requireAcceptable(req, endpoint)
    return endpoint.run(req, res)
  })
}

function toPath(url: string): string {
  // A client may name the whole URI, as it does to a proxy (RFC 9112 section 3.2.2).
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

// Without a prototype, as Express' own, but with a hidden class: `Object.create(null)` has none.
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

function requireAcceptable(req: Request, { mediaType }: CompiledEndpoint): void {
  const { accept } = req.headers
  if (accept === undefined || accept === mediaType) return
  // What nearly all clients send: without weights any of them will do.
  if (accept.includes('*/*') && !accept.includes(';')) return
  if (!allowsMediaType(accept, mediaType)) {
    throw new ApiError('not_acceptable', { detail: `Accept must allow ${mediaType}.` })
  }
}
