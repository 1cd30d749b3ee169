import { type Request } from 'express'
import { trusted } from 'mongoose'
import { type Access, type AccessFilter, ask, type Ruling, toAccessName, toRule } from './access.ts'
import { type User } from './caller.ts'
import { StaleProof } from './stale-proof.ts'
import { ReauthenticationError } from '../errors/reauthentication-error.ts'
import { isPlainObject } from '../json/plain.ts'

/**
 * The documents that the caller of a request can reach: a frozen MongoDB filter, `{}` for every document. Helpers of
 * `@create-api/core/resource` take it; `inScope(scope, { _id })` joins it with a filter for Mongoose.
 */
export type Scope = AccessFilter

// Every document.
export const everything: Scope = Object.freeze({})

// No document.
export const nothing: Scope = Object.freeze({ _id: Object.freeze({ $in: Object.freeze([]) }) })

// What an access allows the caller of a request; undefined if it refuses. Throws ApiError `reauthentication_required`.
export function toScope(
  access: Access,
  user: User | undefined,
  req: Request,
): Scope | undefined | Promise<Scope | undefined> {
  const rule = toRule(access)
  const decision = ask(rule, user, req)
  return decision instanceof Promise
    ? decision.then((settled) => settle(rule.name, settled))
    : settle(rule.name, decision)
}

function settle(rule: string, decision: Ruling): Scope | undefined {
  if (decision === true) return everything
  if (decision instanceof StaleProof) throw new ReauthenticationError(decision.maxAge)
  return decision ? freeze(decision, rule) : undefined
}

// Returns the scope of a request, or what a function of the application replaces it with. `source` names the function in errors.
export function toScopeReader(
  replace: ((req: never) => Scope | Promise<Scope>) | undefined,
  source: string,
): (req: Request) => Promise<Scope> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the function declares the request of its route
  const read = replace as ((req: Request) => unknown) | undefined
  return async (req) => {
    if (!read) return req.scope
    const scope = await read(req)
    if (isPlainObject(scope)) return freeze(scope, source)
    throw new TypeError(
      `${source} must return a filter: inScope(req.scope, { … }), or {} for every document.`,
    )
  }
}

// A copy: the rule may keep the object that it returned, and handlers must not change the scope. It runs for each
// request, so it is a plain loop.
function freeze(filter: object, rule: string): Scope {
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(filter)) {
    // MongoDB would compare with null, which matches every document without the field.
    if (value === undefined || key === '__proto__') throw unusable(rule, key)
    if (groups.has(key)) requireParts(value, key, rule)
    copy[key] = typeof value === 'object' ? freezeValue(value, rule) : value
  }
  // The application may have turned on Mongoose's sanitizeFilter.
  return Object.freeze(trusted(copy))
}

function freezeValue(value: unknown, rule: string): unknown {
  if (Array.isArray(value)) {
    if (value.includes(undefined)) throw unusable(rule, String(value.indexOf(undefined)))
    return Object.freeze(value.map((item) => freezeValue(item, rule)))
  }
  return isPlainObject(value) ? freeze(value, rule) : value
}

// A filter that Mongoose may cast in place, as it does with conditions that are added to a query.
export function copyFilter(scope: Scope): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...scope }
  for (const [key, value] of Object.entries(copy)) copy[key] = copyValue(value)
  return copy
}

function copyValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyValue)
  return isPlainObject(value) ? copyFilter(value) : value
}

const groups = new Set(['$and', '$or', '$nor'])

// Mongoose removes an empty list, and an empty part matches everything: both would find every document.
function requireParts(parts: unknown, key: string, rule: string): void {
  if (Array.isArray(parts) && parts.length > 0 && !parts.some(isEmpty)) return
  throw new Error(
    `The rule '${rule}' returned a filter whose '${key}' is empty or has an empty part, which would find every document. Return true for every document, false to refuse, or { _id: { $in: [] } } for none.`,
  )
}

function isEmpty(part: unknown): boolean {
  return Object.keys(Object(part)).length === 0
}

function unusable(rule: string, key: string): Error {
  return new Error(
    `The rule '${rule}' returned a filter with undefined at '${key}'. Return false, or null to find documents without the field.`,
  )
}

// In the references of a request to an organization: finds the ids of its members, for the model of users. It is copied with them.
export const findMembers = Symbol('members')

export type FindMembers = (
  model: string,
  ids: readonly unknown[],
) => Promise<ReadonlySet<string> | undefined>

// In the references of a request: the scope of an access for its caller.
export const scopeOf = Symbol('scope of an access')

export type ScopeOf = (access: Access) => Scope | undefined | Promise<Scope | undefined>

// The references of routes that state none.
export const noReferences: Readonly<Record<string, Scope>> = Object.freeze({})

const own = Symbol('scope')
const unread = Symbol('unread')

interface Scoped {
  [own]?: Scope
  [unread]?: boolean
}

// One descriptor for all requests, so that they keep one shape.
const noticed = {
  configurable: true,
  enumerable: true,
  get(this: Scoped) {
    this[unread] = false
    return this[own]
  },
}

// A filter is a property that notes when it is read.
export function setScope(req: Request & Scoped, scope: Scope): void {
  if (scope === everything) {
    req.scope = everything
    return
  }
  req[own] = scope
  req[unread] = true
  Object.defineProperty(req, 'scope', noticed)
}

// Throws Error if the rule of a route returned a filter that its handler has not read: the response may then
// contain, or report changes of, documents that the caller must not reach.
export function requireScopeRead(req: Request & Scoped): void {
  if (req[unread] !== true) return
  const { endpoint } = req
  const route = `${req.method} ${endpoint?.path ?? req.originalUrl}`
  const access = endpoint ? ` '${toAccessName(endpoint.route.access)}'` : ''
  throw new Error(
    `The access${access} of ${route} is a filter, but the handler has not read req.scope. Pass it on: findDocument(PostModel, { _id: id }, { scope: req.scope }). If the route does not read documents with this filter, state another access, such as 'user'.`,
  )
}
