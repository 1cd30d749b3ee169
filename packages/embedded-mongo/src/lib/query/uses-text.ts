import { isDocument } from '../bson/document.ts'

// Whether a filter contains $text, at the top or in $and, $or or $nor.
export function usesText(filter: unknown): boolean {
  if (Array.isArray(filter)) return filter.some((part) => usesText(part))
  if (!isDocument(filter)) return false
  return Object.keys(filter).some(
    (name) => name === '$text' || (/^\$(?:and|or|nor)$/.test(name) && usesText(filter[name])),
  )
}
