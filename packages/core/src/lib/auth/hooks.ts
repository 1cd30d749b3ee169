import { type Logger } from '../logging/logger.ts'
import { type RequestFacts } from './request-facts.ts'
import { type UserView } from './user-view.ts'

/** A user and the session at hand. */
export interface HookSession {
  /** Id of the user. */
  readonly userId: string
  /** Id of the session. */
  readonly sessionId: string
}

/**
 * Code of the application around authentication. A `before` hook that throws refuses: an ApiError
 * is the answer. An `after` hook that throws is logged; what it follows has happened.
 */
export interface AuthHooks {
  /** Before a user is kept; the input is valid. */
  beforeRegister?: Hook<{
    readonly email: string
    readonly fields: Readonly<Record<string, unknown>>
  }>
  /** After a user was kept. */
  afterRegister?: Hook<UserView>
  /** When the password has proved right, before a session opens. */
  beforeLogin?: Hook<UserView>
  /** After a session was opened by a login. */
  afterLogin?: Hook<UserView>
  /** When a refresh token has proved ours, before it is traded. */
  beforeRefresh?: Hook<HookSession>
  /** After a refresh token was traded. */
  afterRefresh?: Hook<HookSession>
  /** When a refresh token has proved ours, before its session ends. */
  beforeLogout?: Hook<HookSession>
  /** After a session was ended by its user. */
  afterLogout?: Hook<HookSession>
}

/** A hook: what it is about, and the request. */
export type Hook<Subject> =
  | ((subject: Subject, facts: RequestFacts) => void | Promise<void>)
  | undefined

type Step = 'Register' | 'Login' | 'Refresh' | 'Logout'
type SubjectOf<H> = H extends (subject: infer About, facts: RequestFacts) => unknown ? About : never
type SubjectFor<Name extends keyof AuthHooks> = SubjectOf<NonNullable<AuthHooks[Name]>>

/** Runs the hooks. */
export interface HookRunner {
  /** Runs what may still refuse. */
  before<S extends Step>(
    step: S,
    subject: SubjectFor<`before${S}`>,
    facts: RequestFacts,
  ): Promise<void>
  /** Runs what follows; never fails. */
  after<S extends Step>(
    step: S,
    subject: SubjectFor<`after${S}`>,
    facts: RequestFacts,
  ): Promise<void>
}

/**
 * Makes the runner of hooks.
 * @param hooks - the application's
 * @param logger - told of `after` hooks that throw
 * @returns the runner
 */
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
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller's subject has been checked against the very name
  return hooks[name] as Hook<Subject>
}
