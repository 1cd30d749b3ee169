import { type Route } from '@create-api/core'
import { type RequestFacts, type StoredUser } from '@create-api/core/auth'
import {
  type Duration,
  type SignInContext,
  type SecretBox,
} from '@create-api/core/internal/sign-in'

/** A way to log in besides the password, for an option of `createSignIn`. */
export interface SignInWay {
  /** Name of its services, a property of the authentication. */
  readonly name: string
  /** Names of its routes. */
  readonly routeNames: readonly string[]
  /** Creates its models, services and routes. */
  readonly create: (parts: WayParts) => CreatedWay
}

// What a way works with.
export interface WayParts {
  readonly context: SignInContext
  /** Age that the last proof of identity may have where logins are changed. */
  readonly freshness: Duration
  /** Throws ApiError where the session needs another proof. */
  readonly beforeSession: (user: StoredUser, facts: RequestFacts) => Promise<void>
  /** Whether a user can log in by the password, by mail or by any of the ways. */
  readonly canLogIn: (userId: string) => Promise<boolean>
  /** Encrypts what has to be read again. */
  readonly box: SecretBox
  /**
   * Verifies the address of a user. If another person may have registered it, password, factors, ways to log in
   * and sessions of that time end.
   */
  readonly verifyAddress: (user: StoredUser, facts: RequestFacts) => Promise<void>
}

export interface CreatedWay {
  readonly service: unknown
  readonly routes: readonly Route[]
  /** Ends logins that wait for another proof. */
  readonly endLogins: (userId: string) => Promise<void>
  /** Whether a user can log in by it. */
  readonly canLogIn: (userId: string) => Promise<boolean>
  /** Removes what is stored about a user, also when the address is verified and another person may have registered it. */
  readonly removeUser: (userId: string) => Promise<void>
}
