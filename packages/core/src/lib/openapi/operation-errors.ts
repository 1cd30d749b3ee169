import { catalogue, type ErrorCode, type ErrorDefinition } from '../errors/catalogue.ts'
import { type ErrorStatuses, toStatus } from '../errors/error-statuses.ts'
import { type Access, requiresFreshness, toRule } from '../access/access.ts'
import { type Endpoint } from '../route/route.ts'
import { toMultipartPlan } from '../uploads/multipart.ts'

export interface ErrorScope {
  /** Whether a rate limit applies. */
  readonly rateLimited: boolean
  /** Statuses that replace those of the codes. */
  readonly statuses: ErrorStatuses
}

export function listErrorCodes(endpoint: Endpoint, scope: ErrorScope): Map<number, string[]> {
  const codes = new Set<ErrorCode | ErrorDefinition>([
    ...fromRequest(endpoint),
    ...fromAccess(endpoint),
    ...fromVersion(endpoint),
    ...fromIdempotency(endpoint),
    ...(endpoint.route.errors ?? []),
    ...(scope.rateLimited ? (['rate_limited'] as const) : []),
    'internal_error',
    'service_unavailable',
    'timeout',
  ])
  const byStatus = new Map<number, string[]>()
  for (const item of codes) {
    const { code, status } = typeof item === 'string' ? { code: item, ...catalogue[item] } : item
    const own = toStatus(scope.statuses, code, status)
    byStatus.set(own, [...(byStatus.get(own) ?? []), code])
  }
  return new Map([...byStatus].toSorted(([a], [b]) => a - b))
}

// Lists the codes of the framework, then those that the application has defined for its routes.
export function listAllCodes(endpoints: readonly Pick<Endpoint, 'route'>[]): string[] {
  const own = endpoints.flatMap(({ route }) => route.errors ?? [])
  const codes = own.map((item) => (typeof item === 'string' ? item : item.code))
  return [...new Set([...Object.keys(catalogue), ...codes])]
}

function fromRequest({ path, route }: Endpoint): ErrorCode[] {
  const codes: ErrorCode[] = [
    // Errors before the route is known, and those of Node's HTTP parser.
    'bad_request',
    'request_timeout',
    'expectation_failed',
    'headers_too_large',
    'invalid_query',
    'not_acceptable',
  ]
  if (path.includes(':')) codes.push('invalid_encoding', 'not_found')
  if (route.body) {
    if (toMultipartPlan(route.body)) codes.push('malformed_multipart', 'invalid_encoding')
    else codes.push('malformed_json', 'invalid_encoding', 'too_deep')
    codes.push('payload_too_large', 'unsupported_media_type', 'validation_failed')
  }
  return codes
}

function fromAccess({ route }: Endpoint): ErrorCode[] {
  if (route.access === 'public') return []
  const codes: ErrorCode[] = [
    'unauthenticated',
    'invalid_token',
    'token_expired',
    'session_revoked',
  ]
  if (toRule(route.access).tenant) codes.push('not_found')
  if (requiresFreshness(route.access)) codes.push('reauthentication_required')
  return isForAllUsers(route.access) ? codes : [...codes, 'forbidden']
}

function isForAllUsers(access: Access): boolean {
  return access === 'optional' || access === 'user' || access === 'owner'
}

function fromVersion({ method, route }: Endpoint): ErrorCode[] {
  if (!route.etag || !['PUT', 'PATCH', 'DELETE'].includes(method)) return []
  return route.requireIfMatch
    ? ['precondition_failed', 'precondition_required']
    : ['precondition_failed']
}

function fromIdempotency({ route }: Endpoint): ErrorCode[] {
  return route.idempotent ? ['bad_request', 'idempotency_conflict', 'idempotency_key_reused'] : []
}
