import { type Authenticator } from '../route/request.ts'
import { createStage, type Stage } from '../stage/stage.ts'

/**
 * Sets how callers are loaded. The stage itself reads and rejects nothing; guarded routes load the
 * caller.
 * @param authenticator - sets `req.user` or throws a 401
 * @returns the stage
 */
export function authentication(authenticator: Authenticator): Stage {
  return createStage((req) => {
    req.authenticator = authenticator
  })
}
