import { ApiError } from '../errors/api-error.ts'
import { createStage, type Stage, type StepResult } from '../kernel/stage.ts'
import { type Access, isAllowed, toAccessName, toRole } from '../kernel/access.ts'
import { type ApiRequest, type Authenticator } from '../kernel/request.ts'
import { type Route } from '../kernel/route.ts'
import { parseParams } from './validate.ts'

/**
 * Creates the stage that loads the caller and enforces the access of a route. It needs the stage
 * `authentication` before it. Callers of public routes are not loaded. With `optional` a request without
 * credentials is anonymous; credentials that are not valid are a 401 (RFC 6750 section 3.1).
 * @param access - `public`, `optional`, `user`, `owner`, a role or a rule; the rule itself is checked later, by
 * `requireRule`
 * @returns the stage
 */
export function requireAccess(access: Access): Stage {
  if (access === 'public') return createStage(() => {})
  const requireRight = toCheck(access)
  return createStage((req, res): StepResult | Promise<StepResult> => {
    if (!req.authenticator) {
      throw new Error(
        `A route with access '${toAccessName(access)}' needs the authentication stage before it: app.use(auth.authentication()).`,
      )
    }
    if (access === 'optional') {
      res.vary('Authorization')
      if (!hasCredentials(req, req.authenticator)) return
    }
    const pending = req.authenticator(req)
    if (pending instanceof Promise) return pending.then(() => requireRight(req))
    requireRight(req)
  })
}

function hasCredentials(req: ApiRequest, authenticator: Authenticator): boolean {
  return authenticator.hasCredentials?.(req) ?? req.headers.authorization !== undefined
}

function toCheck(access: Access): (req: ApiRequest) => void {
  const role = toRole(access)
  return (req) => {
    if (!req.user) throw new ApiError('unauthenticated')
    if (role !== undefined && !req.user.roles.includes(role)) rejectCaller(req)
  }
}

// Runs after `requireAccess` and before the body is read.
export function requireRule(route: Route): Stage[] {
  const { access, params } = route
  if (typeof access !== 'function' || !route.load) return []
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- defineRoute has checked rule and load against the schema
  const load = route.load as (params: unknown) => PromiseLike<object | null>
  const find = async (req: ApiRequest): Promise<void> => {
    const document = await load(params && parseParams(params, req.params))
    if (!document) throw new ApiError('not_found')
    if (!req.user || !isAllowed(access, req.user, document)) rejectCaller(req)
    req.document = document
  }
  return [createStage((req) => find(req))]
}

function rejectCaller(req: ApiRequest): never {
  req.authenticator?.onForbidden?.(req)
  throw new ApiError('forbidden')
}
