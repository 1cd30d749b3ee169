import http from 'node:http'
import { type Request, type Response } from 'express'
import { arrivalField } from './arrival-time.ts'
import { cachingField, deferredField, installDeferredHeaders } from './deferred-headers.ts'
import { skipResume } from './skip-resume.ts'

export type Constructors = Required<Pick<http.ServerOptions, 'IncomingMessage' | 'ServerResponse'>>

// An Express app, as far as the fast paths change it.
export interface Prototypes {
  readonly request: Request
  readonly response: Response
}

// Requests and responses of the app differ from Node's from now on, in what they cost only.
export function installFastPaths({ request, response }: Prototypes): void {
  installDeferredHeaders(response)
  skipResume(request)
}

// Creates constructors whose instances have the prototypes of an Express app from the start. Express
// sets these prototypes on each request anyway; where they are set already, nothing changes. On Node 20
// and 22, changing the prototype of an object makes every later access to it slow.
export function createConstructors(app: Prototypes, node: Constructors = http): Constructors {
  // Functions, not classes: their `prototype` must be the app's own object.
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- one pair of constructors for each app
  function ExpressRequest(this: Record<PropertyKey, unknown>, ...args: unknown[]): void {
    Reflect.apply(node.IncomingMessage, this, args)
    // Every field that Express and the framework set later: one hidden class for all requests.
    this.id = ''
    this.baseUrl = ''
    this.originalUrl = ''
    this.params = undefined
    this.route = undefined
    this.res = undefined
    this.next = undefined
    this.body = undefined
    this.valid = undefined
    this.user = undefined
    this.sessionId = undefined
    this.authenticatedAt = undefined
    this.multiFactor = undefined
    this.apiKey = undefined
    this.authenticator = undefined
    this.endpoint = undefined
    this['_parsedUrl'] = undefined
    this[arrivalField] = performance.now()
  }
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- as above
  function ExpressResponse(this: Record<PropertyKey, unknown>, ...args: unknown[]): void {
    Reflect.apply(node.ServerResponse, this, args)
    // Own from the start: setting the status must not change the hidden class.
    this.statusCode = 200
    this.statusMessage = undefined
    this.locals = undefined
    this[deferredField] = undefined
    this[cachingField] = undefined
  }
  // V8 counts the fields to reserve along the constructor's own prototype chain.
  Object.setPrototypeOf(ExpressRequest, node.IncomingMessage)
  Object.setPrototypeOf(ExpressResponse, node.ServerResponse)
  ExpressRequest.prototype = app.request
  ExpressResponse.prototype = app.response
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- functions that are called with `new`
  return {
    IncomingMessage: ExpressRequest,
    ServerResponse: ExpressResponse,
  } as unknown as Constructors
}
