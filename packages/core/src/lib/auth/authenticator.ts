import { ApiError } from '../errors/api-error.ts'
import { type ApiRequest, type Authenticator } from '../kernel/request.ts'
import { type AccessClaims } from './access-token.ts'
import { type AuthContext } from './auth-context.ts'
import { toRequestFacts } from './request-facts.ts'
import { toRole, toUserView } from './user-view.ts'

// Loads the caller of a guarded request from the token in the `Authorization` header (RFC 6750 section 2.1)
// and nothing else; then, unless it is stateless, from session and user as they are now. It throws ApiError
// `unauthenticated`, `invalid_token`, `token_expired` or `session_revoked`.
export function createAuthenticator(context: AuthContext): Authenticator {
  const { scheme } = context.settings
  const pattern = new RegExp(`^${scheme.replaceAll(/\W/g, String.raw`\$&`)} +([^ ]+) *$`, 'i')
  const load = context.settings.stateless ? loadFromClaims : loadFromStores
  const authenticate = (req: ApiRequest): void | Promise<void> => {
    try {
      const claims = context.tokens.verify(requireToken(req.headers.authorization, pattern))
      return load(context, req, claims)
    } catch (error) {
      throw report(context, req, error)
    }
  }
  return Object.assign(authenticate, {
    scheme,
    onForbidden(req: ApiRequest) {
      const facts = toRequestFacts(req, context.settings.now())
      const details = { userId: req.user?.id, sessionId: req.sessionId, reason: req.endpoint?.path }
      context.events.emit('auth.forbidden', facts, details)
    },
  })
}

function requireToken(header: string | undefined, pattern: RegExp): string {
  const token = header === undefined ? undefined : pattern.exec(header)?.[1]
  if (token === undefined) throw new ApiError('unauthenticated')
  return token
}

async function loadFromStores(
  context: AuthContext,
  req: ApiRequest,
  claims: AccessClaims,
): Promise<void> {
  const [user, isLive] = await Promise.all([
    context.users.findById(claims.sub),
    context.sessions.isLive(claims.sid, claims.sub),
  ])
  if (!user || user.disabled || !isLive) {
    throw report(context, req, new ApiError('session_revoked'))
  }
  req.user = toUserView(user)
  setSession(context, req, claims)
}

function loadFromClaims(context: AuthContext, req: ApiRequest, claims: AccessClaims): void {
  const { sub, email, role } = claims
  if (typeof email !== 'string' || typeof role !== 'string') throw new ApiError('invalid_token')
  req.user = { id: sub, email, role: toRole(role) }
  setSession(context, req, claims)
}

function setSession({ settings }: AuthContext, req: ApiRequest, claims: AccessClaims): void {
  req.sessionId = claims.sid
  const own = settings.claims.read(claims)
  if (typeof own === 'object' && own !== null) req.claims = { ...own }
}

function report({ events, settings }: AuthContext, req: ApiRequest, error: unknown): unknown {
  if (error instanceof ApiError && error.status === 401) {
    const facts = toRequestFacts(req, settings.now())
    events.emit('auth.unauthenticated', facts, { reason: error.code })
  }
  return error
}
