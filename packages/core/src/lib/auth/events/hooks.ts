import { type Logger } from '../../logging/logger.ts'
import { type RequestFacts } from './request-facts.ts'
import { type UserView } from '../users/user-view.ts'

/** The user and session of a hook. */
export interface HookSession {
  /** Id of the user. */
  readonly userId: string
  /** Id of the session. */
  readonly sessionId: string
}

/**
 * Functions that run before and after the steps of authentication. A `before` hook that throws
 * rejects the request; an ApiError is sent as the response. The error of an `after` hook is logged:
 * the step has been completed.
 */
export interface AuthHooks {
  /** Before a user is created; the input is valid. */
  beforeRegister?: Hook<{
    readonly email: string
    readonly fields: Readonly<Record<string, unknown>>
  }>
  /** After a user was created. */
  afterRegister?: Hook<UserView>
  /** After the password, or the link of a login by mail, was verified, before the session is created. */
  beforeLogin?: Hook<UserView>
  /** After a login created a session. */
  afterLogin?: Hook<UserView>
  /** After a refresh token was verified, before it is exchanged. */
  beforeRefresh?: Hook<HookSession>
  /** After a refresh token was exchanged. */
  afterRefresh?: Hook<HookSession>
  /** After a refresh token was verified, before its session is revoked. */
  beforeLogout?: Hook<HookSession>
  /** After a user logged out of a session. */
  afterLogout?: Hook<HookSession>
}

/** A hook; it receives its subject and facts about the request. */
export type Hook<Subject> =
  | ((subject: Subject, facts: RequestFacts) => void | Promise<void>)
  | undefined

type Step = 'Register' | 'Login' | 'Refresh' | 'Logout'
type SubjectOf<H> = H extends (subject: infer About, facts: RequestFacts) => unknown ? About : never
type SubjectFor<Name extends keyof AuthHooks> = SubjectOf<NonNullable<AuthHooks[Name]>>

export interface HookRunner {
  /** Runs a hook that may reject the request. */
  before<S extends Step>(
    step: S,
    subject: SubjectFor<`before${S}`>,
    facts: RequestFacts,
  ): Promise<void>
  /** Never throws. */
  after<S extends Step>(
    step: S,
    subject: SubjectFor<`after${S}`>,
    facts: RequestFacts,
  ): Promise<void>
}

export function createHookRunner(hooks: AuthHooks, logger: Logger): HookRunner {
  return {
    async before(step, subject, facts) {
      const hook: Hook<typeof subject> = pick(hooks, `before${step}`)
      await hook?.(subject, facts)
    },
    async after(step, subject, facts) {
      const hook: Hook<typeof subject> = pick(hooks, `after${step}`)
      try {
        await hook?.(subject, facts)
      } catch (error) {
        const { requestId } = facts
        logger.error({ err: error, requestId }, `auth.hooks.after${step} failed`)
      }
    },
  }
}

function pick<Subject>(hooks: AuthHooks, name: keyof AuthHooks): Hook<Subject> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the subject of the caller has been checked against this name
  return hooks[name] as Hook<Subject>
}
