import { type Authenticator } from '../routing/request.ts'
import { createStage, type Stage } from './stage.ts'

/**
 * Says how callers are loaded. It rejects nobody and reads nothing: guarded routes load the
 * caller through it, public ones do not.
 * @param authenticator - sets `req.user` or throws a 401
 * @returns the stage
 */
export function authentication(authenticator: Authenticator): Stage {
  return createStage((req) => {
    req.authenticator = authenticator
  })
}
