import { ApiError } from '../errors/api-error.ts'
import { type User } from './caller.ts'
import { type ApiRequest, type Authenticator } from './request.ts'

/** Facts about an {@link Authenticator}, for responses and the OpenAPI document. */
export interface AuthenticatorOptions extends Pick<
  Authenticator,
  'schemes' | 'securitySchemes' | 'hasCredentials' | 'onForbidden'
> {}

/**
 * Defines how the callers of an API are loaded, where it is not by the access tokens of `createAuth`: by the
 * tokens of another issuer or by a session cookie. Pass it to `createApi({ authenticator })`.
 * @param load - returns the caller of a request, or undefined without valid credentials, which is a 401; an
 * ApiError that it throws is the response
 * @param options - schemes of `WWW-Authenticate` and of the OpenAPI document
 * @returns the authenticator
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
