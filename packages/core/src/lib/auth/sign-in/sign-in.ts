import { type Request, type Response } from 'express'
import { type Environment } from '../../options/options.ts'
import { type Logger } from '../../logging/logger.ts'
import { type Route } from '../../route/route.ts'
import { type RequestFacts } from '../events/request-facts.ts'
import {
  type SecurityEventDetails,
  type SecurityEventName,
  type SecurityEvents,
} from '../events/security-events.ts'
import { type AccountThrottle } from '../limits/account-throttle.ts'
import { type LimitName } from '../limits/limit-options.ts'
import { type MailDelivery } from '../mail/mail-delivery.ts'
import { type RouteSchemas } from '../input/auth-schemas.ts'
import { type AuthGrant } from '../sessions/grant.ts'
import { type SessionStore } from '../sessions/session-store.ts'
import { type ModelPlace } from '../storage/model-registry.ts'
import { type Secrets } from '../tokens/parse-secrets.ts'
import { type NewUser, type StoredUser, type UserStore } from '../users/user-store.ts'

/** The services that `auth.signIn` adds to {@link Auth}; its package declares them. */
export interface SignInServices {}

/** More ways to log in: the value of the option `signIn`, created by `createSignIn` of `@create-api/sign-in`. */
export interface SignInFeature {
  /** Names of the services that it adds to the authentication. */
  readonly services: readonly string[]
  /** Creates models, services and routes. */
  readonly create: (context: SignInContext) => SignInParts
}

// What it adds to the authentication.
export interface SignInParts {
  /** By the names in `services`. */
  readonly services: ReadonlyMap<string, unknown>
  readonly routes: readonly Route[]
  /** The errors of `beforeSession`. */
  readonly loginErrors: NonNullable<Route['errors']>
  /** The errors of `beforeProof`. */
  readonly proofErrors: NonNullable<Route['errors']>
  /** Runs after the password was verified. It throws where the session needs another proof. */
  readonly beforeSession: (user: StoredUser, facts: RequestFacts) => Promise<void>
  /** Runs after the password was verified again in a session. It throws where that is not enough. */
  readonly beforeProof: (userId: string) => Promise<void>
  /** Throws where a user must have a second factor, for credentials that were created without one. */
  readonly requireFactor: (user: StoredUser) => Promise<void>
  /** Ends logins that wait for another proof: the password has changed. */
  readonly endLogins: (userId: string) => Promise<void>
  /** Removes ways to log in and factors that another person may have added: the address was verified only now. */
  readonly removeWays: (userId: string, facts: RequestFacts) => Promise<void>
  /** Removes what is stored about a user who was removed. */
  readonly removeUser: (userId: string) => Promise<void>
  /** Learns of each security event after it was logged. It must not throw. */
  readonly observe: (
    event: SecurityEventName,
    facts: Partial<RequestFacts>,
    details: SecurityEventDetails,
  ) => void
}

// What it works with.
export interface SignInContext {
  readonly serviceName: string
  readonly environment: Environment | undefined
  readonly secrets: Secrets
  readonly place: ModelPlace
  readonly logger: Logger
  /** The clock, in milliseconds since the epoch. */
  readonly now: () => number
  readonly users: UserStore
  readonly sessions: Pick<SessionStore, 'noteProof' | 'removeProofs' | 'revokeAll'>
  /** Ends all that a user holds whose address another person may have registered. */
  readonly endReclaimed: (userId: string, facts: RequestFacts) => Promise<void>
  readonly throttle: AccountThrottle
  readonly events: SecurityEvents
  /** Undefined when no e-mail is sent. */
  readonly mail: MailDelivery | undefined
  readonly schemas: RouteSchemas
  /** The limit of each address for a route, with its error beside the others. */
  readonly limited: (
    name: LimitName,
    errors?: NonNullable<Route['errors']>,
  ) => Pick<Route, 'before' | 'errors'>
  /** Counts a call of a service towards the limit of its address; the result takes it back. */
  readonly takeLimit: (name: LimitName, facts: RequestFacts) => Promise<() => void>
  /** Whether there is a built-in route that registers users. */
  readonly registers: boolean
  /** Creates a user whose address was verified elsewhere, and runs the hooks of a registration. Throws ApiError `email_taken`. */
  readonly register: (user: NewUser, facts: RequestFacts) => Promise<StoredUser>
  /** Runs the hook of the application that may reject a login. */
  readonly beforeLogin: (user: StoredUser, facts: RequestFacts) => Promise<void>
  /**
   * Opens a session, and runs the hook after a login. Throws ApiError `invalid_credentials` when the user is disabled or
   * does not exist. Unless it is a proof of the identity, routes with `fresh` require one first.
   */
  readonly openSession: (
    userId: string,
    facts: RequestFacts,
    options?: { readonly isProof?: boolean; readonly multiFactor?: boolean },
  ) => Promise<AuthGrant>
  /** Sends the tokens of a grant; returns the data for the body. */
  readonly writeGrant: <Grant extends AuthGrant>(
    res: Response,
    grant: Grant,
  ) => Omit<Grant, 'refreshToken'>
  readonly toFacts: (req: Request) => RequestFacts
}
