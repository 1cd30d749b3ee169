import { ApiError } from '../../errors/api-error.ts'
import { type User } from '../../access/caller.ts'
import { type ApiRequest, type Authenticator } from '../../route/request.ts'

/**
 * Options for {@link defineAuthenticator}: properties of the authenticator that responses and the OpenAPI
 * document use.
 */
export interface AuthenticatorOptions extends Pick<
  Authenticator,
  'schemes' | 'securitySchemes' | 'hasCredentials' | 'onForbidden'
> {}

/**
 * Defines how the callers of an API are loaded if not by the access tokens of `createAuth`: for example by
 * tokens of another issuer or by a session cookie. Pass it to `createApi({ authenticator })`.
 * @param load - returns the caller of a request, or undefined without valid credentials, which is a 401; an
 * ApiError that it throws is the response
 * @param options - schemes of `WWW-Authenticate` and of the OpenAPI document
 * @returns the authenticator
 * @example
 * ```ts
 * const authenticator = defineAuthenticator((req) =>
 *   findUserOfSession(parseCookie(req.headers.cookie ?? '').sid),
 * )
 *
 * createApi({ routes, auth: false, authenticator })
 * ```
 */
export function defineAuthenticator(
  load: (req: ApiRequest) => User | undefined | PromiseLike<User | undefined>,
  options: AuthenticatorOptions = {},
): Authenticator {
  const authenticate = (req: ApiRequest): void | Promise<void> => {
    const user = load(req)
    if (user && 'then' in user) return Promise.resolve(user).then((loaded) => setUser(req, loaded))
    setUser(req, user)
  }
  return Object.assign(authenticate, options)
}

function setUser(req: ApiRequest, user: User | undefined): void {
  if (!user) throw new ApiError('unauthenticated')
  req.user = user
}
