import { requireKnownFields } from '../access/known-fields.ts'
import { type AnyModel } from './model.ts'
import { type Condition } from './filter-parameters.ts'
import { type Scope } from '../access/scope.ts'

/**
 * Joins the scope of a request with another filter:
 * `PostModel.findOne(inScope(req.scope, { _id: id }))`. A document has to match both, even if they
 * name the same fields.
 * @param scope - the documents that the caller can reach: `req.scope`, or one of `req.references`
 * @param filter - another filter
 * @returns the filter for Mongoose; it is a scope, too
 * @throws Error when the scope is undefined
 * @example
 * ```ts
 * const post = requireFound(await PostModel.findOne(inScope(req.scope, { _id: id })).lean())
 * ```
 */
export function inScope(scope: Scope | undefined, filter: object): Scope {
  if (scope === undefined) {
    throw new Error(
      'The scope is undefined. Read req.scope in a route, or a name of req.references that the route states in references.',
    )
  }
  return joinFilters([scope, { ...filter }])
}

export function joinFilters(filters: readonly Condition[]): Condition {
  const parts = filters.filter((filter) => Object.keys(filter).length > 0)
  return parts.length > 1 ? { $and: parts } : { ...parts[0] }
}

// What `inScope` returns, for a model that has every field of the scope.
export function reachable<T>(model: AnyModel<T>, scope: Scope | undefined, filter: object): Scope {
  const joined = inScope(scope, filter)
  if (scope) requireKnownFields(model, scope)
  return joined
}

// The first names of the paths in a filter; undefined if it has conditions that name no path.
export function toFields(filter: object): string[] {
  return Object.entries(filter).flatMap(([key, value]) => {
    if (Array.isArray(value) && isGroup(key)) return value.flatMap((part) => toFields(Object(part)))
    return key.startsWith('$') ? [] : [key.split('.', 1).join('')]
  })
}

// Whether a condition such as $expr reads fields that are not keys of the filter.
export function hasFreeConditions(filter: object): boolean {
  return Object.entries(filter).some(([key, value]) => {
    if (Array.isArray(value) && isGroup(key)) {
      return value.some((part) => hasFreeConditions(Object(part)))
    }
    return key.startsWith('$')
  })
}

function isGroup(key: string): boolean {
  return key === '$and' || key === '$or' || key === '$nor'
}
