import { ApiError } from '../../errors/api-error.ts'
import { type User } from '../../access/caller.ts'
import { type ApiRequest, type Authenticator } from '../../route/request.ts'
import { isForEverySession } from '../sign-in/every-session.ts'
import { isApiKey, loadApiKey } from '../api-keys/api-key-caller.ts'
import { type AccessClaims } from '../tokens/access-token.ts'
import { type AuthContext } from './auth-context.ts'
import { authMethods, authTime, type Claims } from '../tokens/claims.ts'
import { type AuthRequest, toFacts, toRequestFacts } from '../events/request-facts.ts'
import { toRoles } from '../users/user-view.ts'

/** The caller that an access token belongs to. */
export interface TokenCaller {
  /** The user: as stored, or in stateless mode as of the time the token was issued. */
  readonly user: User
  /** Id of the session. */
  readonly sessionId: string
  /**
   * The application's own claims.
   * @default undefined
   */
  readonly claims?: Claims | undefined
}

// Loads the caller of a guarded request from the access token or API key in the `Authorization` header
// and nothing else. It throws ApiError `unauthenticated`, `invalid_token`, `token_expired` or
// `session_revoked`.
export function createAuthenticator(context: AuthContext): Authenticator {
  const { schemes } = context.settings
  const load = chooseLoader(context)
  const authenticate = (req: ApiRequest): void | Promise<void> => {
    try {
      const token = context.readToken(req)
      if (isApiKey(context, token)) return loadByApiKey(context, req, token)
      return load(context, req, context.tokens.verify(token), req)
    } catch (error) {
      throw report(context, req, error)
    }
  }
  return Object.assign(authenticate, {
    schemes,
    onForbidden(req: ApiRequest) {
      const facts = toRequestFacts(req, context.settings.now())
      const { apiKey, sessionId, user } = req
      const reason = req.endpoint?.path
      const details = { userId: user?.id, sessionId, keyId: apiKey?.id, reason }
      context.events.emit('auth.forbidden', facts, details)
    },
  })
}

async function loadByApiKey(context: AuthContext, req: ApiRequest, text: string): Promise<void> {
  const { apiKey, user } = await loadApiKey(context, text, req)
  req.user = user
  req.apiKey = apiKey
}

// The caller of an access token outside of a guarded route. Throws as the authenticator does.
export async function verifyAccessToken(
  context: AuthContext,
  token: string,
  request: AuthRequest | undefined,
): Promise<TokenCaller> {
  const caller: Caller = {}
  let pending: void | Promise<void>
  try {
    pending = chooseLoader(context)(context, caller, context.tokens.verify(token), request)
  } catch (error) {
    throw report(context, request, error)
  }
  await pending
  const { user, sessionId, claims } = caller
  if (!user || sessionId === undefined) throw new ApiError('invalid_token')
  return { user, sessionId, claims }
}

// What is set on a request.
type Caller = Pick<
  ApiRequest,
  'user' | 'sessionId' | 'authenticatedAt' | 'multiFactor' | 'claims'
> & {
  readonly endpoint?: ApiRequest['endpoint']
}

type Load = (
  context: AuthContext,
  caller: Caller,
  claims: AccessClaims,
  request: AuthRequest | undefined,
) => void | Promise<void>

function chooseLoader({ settings }: AuthContext): Load {
  return settings.stateless ? loadFromClaims : loadFromStores
}

const loadFromStores: Load = async (context, caller, claims, request) => {
  const [user, session] = await Promise.all([
    context.users.findById(claims.sub),
    context.sessions.findLive(claims.sid, claims.sub),
  ])
  if (!user || user.disabled || !session) {
    throw report(context, request, new ApiError('session_revoked'))
  }
  if (!session.multiFactor && !isForEverySession(caller.endpoint)) {
    await context.signIn?.requireFactor(user)
  }
  caller.user = context.toUserView(user)
  caller.multiFactor = session.multiFactor
  setSession(context, caller, claims)
  setProof(context, caller, session.authenticatedAt.getTime())
}

const loadFromClaims: Load = (context, caller, claims) => {
  const { sub, email, roles } = claims
  if (typeof email !== 'string' || !isList(roles)) throw new ApiError('invalid_token')
  const permissions = context.permissionsOf(roles)
  caller.user = { id: sub, email, roles: toRoles(roles), permissions }
  setSession(context, caller, claims)
  const methods = claims[authMethods]
  caller.multiFactor = isList(methods) && methods.includes('mfa')
  const provedAt = claims[authTime]
  if (typeof provedAt === 'number') setProof(context, caller, provedAt * 1000)
}

// By the clock of the process, which rules compare with.
function setProof({ settings }: AuthContext, caller: Caller, provedAt: number): void {
  caller.authenticatedAt = new Date(Date.now() - (settings.now() - provedAt))
}

function isList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function setSession({ settings }: AuthContext, caller: Caller, claims: AccessClaims): void {
  caller.sessionId = claims.sid
  const own = settings.claims.read(claims)
  if (typeof own === 'object' && own !== null) caller.claims = { ...own }
}

function report(
  { events, settings }: AuthContext,
  request: AuthRequest | undefined,
  error: unknown,
): unknown {
  if (error instanceof ApiError && error.status === 401) {
    const facts = toFacts(request, settings.now())
    events.emit('auth.unauthenticated', facts, { reason: error.code })
  }
  return error
}
