import { type Request } from 'express'
import { ApiError } from '../errors/api-error.ts'
import { createStage, type Stage, type StepResult } from '../pipeline/stage.ts'
import { type Access, isAllowed, toAccessName, toRole } from './access.ts'
import { type Route } from './route.ts'
import { parseParams } from './validate.ts'

/**
 * Loads the caller and enforces who may pass. A stage before it must have said how callers are
 * loaded (`authentication`), and only guarded routes pay for it.
 * @param access - `public`, `user`, `owner`, a role or a rule; a rule itself is asked by `requireRule`
 * @returns the stage
 */
export function requireAccess(access: Access): Stage {
  const requireRight = toCheck(access)
  return createStage((req): StepResult | Promise<StepResult> => {
    if (!requireRight) return
    if (!req.authenticator) {
      throw new Error(
        `A route with access '${toAccessName(access)}' needs the authentication stage before it: app.use(auth.authentication()).`,
      )
    }
    const pending = req.authenticator(req)
    if (pending instanceof Promise) return pending.then(() => requireRight(req))
    requireRight(req)
  })
}

function toCheck(access: Access): ((req: Request) => void) | undefined {
  if (access === 'public') return undefined
  const role = toRole(access)
  return (req) => {
    if (!req.user) throw new ApiError('unauthenticated')
    if (role !== undefined && req.user.role !== role) refuse(req)
  }
}

/**
 * Loads the document of a route whose access is a rule, and asks the rule. Stands behind
 * `requireAccess` and before the body is read.
 * @param route - the route
 * @returns the stage; it throws `not_found` when there is no document and `forbidden` when the rule
 * refuses. Nothing for any other access
 */
export function requireRule(route: Route): Stage[] {
  const { access, params } = route
  if (typeof access !== 'function' || !route.load) return []
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- defineRoute has checked rule and load against the schema
  const load = route.load as (params: unknown) => PromiseLike<object | null>
  const find = async (req: Request): Promise<void> => {
    const document = await load(params && parseParams(params, req.params))
    if (!document) throw new ApiError('not_found')
    if (!req.user || !isAllowed(access, req.user, document)) refuse(req)
    req.document = document
  }
  return [createStage((req) => find(req))]
}

function refuse(req: Request): never {
  req.authenticator?.onForbidden?.(req)
  throw new ApiError('forbidden')
}
