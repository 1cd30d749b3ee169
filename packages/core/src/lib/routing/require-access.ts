import { type Request } from 'express'
import { ApiError } from '../errors/api-error.ts'
import { createStage, type Stage, type StepResult } from '../pipeline/stage.ts'
import { type Access } from './route.ts'

/**
 * Loads the caller and enforces who may pass. A stage before it must have said how callers are
 * loaded (`authentication`), and only guarded routes pay for it.
 * @param access - `public`, `user`, `owner` or a role
 * @returns the stage
 */
export function requireAccess(access: Access): Stage {
  const requireRight = toCheck(access)
  return createStage((req): StepResult | Promise<StepResult> => {
    if (!requireRight) return
    if (!req.authenticator) {
      throw new Error(
        `A route with access '${access}' needs the authentication stage before it: app.use(auth.authentication()).`,
      )
    }
    const pending = req.authenticator(req)
    if (pending instanceof Promise) return pending.then(() => requireRight(req))
    requireRight(req)
  })
}

function toCheck(access: Access): ((req: Request) => void) | undefined {
  if (access === 'public') return undefined
  const role = access === 'user' || access === 'owner' ? undefined : access
  return (req) => {
    if (!req.user) throw new ApiError('unauthenticated')
    if (role === undefined || req.user.role === role) return
    req.authenticator?.onForbidden?.(req)
    throw new ApiError('forbidden')
  }
}
