import { type Request } from 'express'
import { type User } from '../access/caller.ts'
import { type Endpoint, type ListFormat } from './route.ts'
import { type Scope } from '../access/scope.ts'

/** The parsed input of a request. */
export interface ValidInput {
  /** Path parameters, parsed by the route's `params`. */
  params?: unknown
  /** Query, parsed by the route's `query`. */
  query?: unknown
  /** Body, parsed by the route's `body`. */
  body?: unknown
}

/** The API key of a request: a script or a service acts for the owner of the key. */
export interface PresentedApiKey {
  /** Id of the key; not secret. */
  readonly id: string
  /** Name that its owner gave it. */
  readonly name: string
  /** Roles and permissions that the key may use as long as its owner has them, and `user`. */
  readonly scopes: readonly string[]
  /**
   * The organizations that its owner belonged to when it was created, and the roles there: the key has no others.
   * @default undefined, all that the owner has
   */
  readonly memberships?: readonly Membership[] | undefined
}

/** An organization that a user belongs to. */
export interface Membership {
  /** Id of the organization. */
  readonly organization: string
  /** The roles of the user there. */
  readonly roles: readonly string[]
}

/** Loads the caller of a request: sets `req.user`, or throws a 401. */
export interface Authenticator {
  (req: ApiRequest): void | Promise<void>
  /**
   * The authentication schemes of `WWW-Authenticate`, one challenge each (RFC 9110 section 11.6.1).
   * @default ['Bearer']
   */
  readonly schemes?: readonly string[] | undefined
  /**
   * The Security Scheme Objects of the OpenAPI document, by name; a caller needs to satisfy one of them.
   * @default `Authorization` with the `schemes`
   */
  readonly securitySchemes?: Readonly<Record<string, object>> | undefined
  /**
   * Whether a request has credentials, valid or not. Without them, routes with access `optional` do not
   * load the caller. An authenticator that reads a cookie says so here.
   * @default whether the request has `Authorization`
   */
  readonly hasCredentials?: ((req: ApiRequest) => boolean) | undefined
  /** Called when a caller lacks the access that a route requires, before the 403. */
  readonly onForbidden?: ((req: ApiRequest) => void) | undefined
}

/** The organization of a request, and the caller's membership. */
export interface Tenant {
  /** Id of the organization. */
  readonly id: string
  /** The roles that the caller has in it. */
  readonly roles: readonly string[]
}

/**
 * The caller of a request. To have it in Express' own `Request`, write `declare global { namespace Express {
 * interface Request extends RequestCaller {} } }`.
 */
export interface RequestCaller {
  /** The caller, on routes whose access is not `public`; with `optional`, if there are credentials. */
  user?: User | undefined
  /** The organization of the request, on routes whose access is `member` or `memberRole`. */
  tenant?: Tenant | undefined
}

// `user` and `tenant` are not among these: many applications declare them themselves, and two
// declarations of one property must have the same type.
declare global {
  // oxlint-disable-next-line typescript/no-namespace -- the only way to extend Express' Request
  namespace Express {
    interface Request {
      /** Id of the request: in the log line, the `X-Request-Id` header and problem bodies. */
      id: string
      /** The parsed input; Express 5 does not let `req.query` be assigned. */
      valid: ValidInput
      /** Id of the session whose token was presented. */
      sessionId?: string | undefined
      /**
       * When the user of the session last proved the identity: by register, login or `reauthenticate`. An
       * authenticator of the application sets it for routes with `fresh`.
       */
      authenticatedAt?: Date | undefined
      /**
       * Whether the user of the session has proved more than one factor in it. An authenticator of the application sets it
       * for routes with `multiFactor`.
       */
      multiFactor?: boolean | undefined
      /** The API key that was presented instead of a person's token; `req.user` is its owner. */
      apiKey?: PresentedApiKey | undefined
      /** How the caller of this request is loaded; set by the `authentication` stage. */
      authenticator?: Authenticator | undefined
      /**
       * The documents that the caller can reach, on routes whose access has been checked; `{}` for every
       * document.
       */
      scope: Scope
      /** The documents that the caller can refer to, by the names in `references` of the route. */
      references: Readonly<Record<string, Scope>>
      /** The document that the route has loaded with `load`. */
      document?: object | undefined
      /** The route that serves this request, once found. */
      endpoint?: Endpoint | undefined
      /** The format that `Accept` requests instead of JSON, on routes with `formats`. */
      format?: ListFormat | undefined
    }
  }
}

/**
 * A request whose input has been parsed: `ApiRequest<{ body: CreatePost }>`.
 */
export type ApiRequest<Input extends ValidInput = ValidInput> = ExpressRequest &
  RequestCaller & { valid: Input }

/** An {@link ApiRequest} on a route that requires a caller: `req.user` is set. */
export type UserRequest<Input extends ValidInput = ValidInput> = ApiRequest<Input> & { user: User }

// Without the types that an application may have declared for its own callers.
type ExpressRequest =
  Extract<keyof Request, keyof RequestCaller> extends never
    ? Request
    : Omit<Request, keyof RequestCaller>
