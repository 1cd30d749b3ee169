import { isDocument } from '../bson/document.ts'

// Whether one of the operators occurs anywhere in a filter.
export function usesOperator(filter: unknown, names: readonly string[]): boolean {
  if (Array.isArray(filter)) return filter.some((part) => usesOperator(part, names))
  if (!isDocument(filter)) return false
  return Object.keys(filter).some(
    (name) => names.includes(name) || usesOperator(filter[name], names),
  )
}
