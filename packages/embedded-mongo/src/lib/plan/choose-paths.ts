import { type Doc, isDocument } from '../bson/document.ts'
import { type Collection, type Index } from '../catalog/collection.ts'
import { findIndex } from '../catalog/catalog.ts'
import { CommandError } from '../errors/command-error.ts'
import { type AccessPath, type IndexPath, type UnionPath } from './access-path.ts'
import { type Conditions, toConditions } from './conditions.ts'
import { toIndexPath } from './index-path.ts'
import { hasAllMatches } from './membership.ts'
import { type Query } from './query.ts'
import { toTextPath } from './text-path.ts'

const maxContenders = 3

// The paths worth trying; with more than one, a race decides.
export function choosePaths(collection: Collection, query: Query): AccessPath[] {
  const conditions = toConditions(query.filter)
  const text = toTextPath(collection, query, conditions)
  if (text) return [text]
  const { hint } = query
  const natural = toNatural(hint) ?? toNatural(query.sort)
  if (natural) return [{ kind: 'scan', reverse: natural < 0 }]
  if (hint !== undefined && !isEmpty(hint)) {
    const index = requireIndex(collection, hint)
    if (index.text || index.geo.length > 0) return [{ kind: 'scan', reverse: false }]
    return [toIndexPath(index, { conditions, ...query })]
  }
  return chooseUnhinted(collection, query, conditions)
}

function isEmpty(hint: unknown): boolean {
  return isDocument(hint) && Object.keys(hint).length === 0
}

function chooseUnhinted(
  collection: Collection,
  query: Query,
  conditions: Conditions,
): AccessPath[] {
  const paths: IndexPath[] = []
  for (const path of pathsOf(collection, query, conditions)) {
    // At most one document can match, so no path can be better.
    if (path.index.unique && path.points === path.index.fields.length) return [path]
    paths.push(path)
  }
  const sorted = query.order ? paths.filter((path) => path.isSorted) : []
  const bounded = paths.filter((path) => scoreOf(path) > 0)
  const union = toUnion(collection, query, conditions)
  if (union && isBetter(union, bounded)) return [union]
  if (bounded.length > 0) return pickBounded(bounded, sorted, query)
  if (union) return [union, ...sorted.slice(0, 1)]
  return sorted[0] ? [sorted[0]] : [{ kind: 'scan', reverse: false }]
}

function* pathsOf(
  collection: Collection,
  query: Query,
  conditions: Conditions,
): Generator<IndexPath, void> {
  const { sort, collation } = query
  for (const index of collection.indexes) {
    if (index.hidden || !hasAllMatches(index, conditions)) continue
    yield toIndexPath(index, { conditions, sort, collation })
  }
}

function pickBounded(bounded: IndexPath[], sorted: IndexPath[], query: Query): AccessPath[] {
  const ranked = bounded.toSorted((a, b) => scoreOf(b) - scoreOf(a))
  const [best, next] = ranked
  const isGood = best && (!query.order || best.isSorted)
  if (best && isGood && (!next || scoreOf(best) > scoreOf(next))) return [best]
  const contenders = ranked.slice(0, maxContenders)
  // An index in the requested order may find the first page long before all matches are sorted.
  const orderly = sorted.find((path) => !contenders.includes(path))
  const needsOrderly = !contenders.some((path) => path.isSorted)
  return orderly && needsOrderly ? [...contenders, orderly] : contenders
}

// Its branches need no sorting, and each reads less than any single index.
function isBetter({ branches, isSorted }: UnionPath, bounded: readonly IndexPath[]): boolean {
  const best = Math.max(0, ...bounded.map((path) => scoreOf(path)))
  return isSorted && branches.every((branch) => scoreOf(branch) > best)
}

function scoreOf({ points, hasRange }: IndexPath): number {
  return 2 * points + Number(hasRange)
}

// Every alternative needs an index, or all documents must be read anyway.
function toUnion(
  collection: Collection,
  query: Query,
  { alternatives }: Conditions,
): UnionPath | undefined {
  const lists = alternatives.map((filters) =>
    filters.map((filter) => listBounded(collection, query, filter)),
  )
  const sorted = query.order && lists.map((list) => list.map(onlySorted))
  const branches = sorted?.map(pickBranches).find((found) => found !== undefined)
  if (branches) return { kind: 'union', branches, isSorted: true }
  const unsorted = lists.map(pickBranches).find((found) => found !== undefined)
  return unsorted && { kind: 'union', branches: unsorted, isSorted: false }
}

function listBounded(collection: Collection, query: Query, filter: Doc): IndexPath[] {
  const conditions = toConditions({ $and: [query.filter, filter] })
  return [...pathsOf(collection, query, conditions)].filter((path) => scoreOf(path) > 0)
}

function onlySorted(paths: readonly IndexPath[]): IndexPath[] {
  return paths.filter((path) => path.isSorted)
}

function pickBranches(list: readonly (readonly IndexPath[])[]): IndexPath[] | undefined {
  const branches = list.map((paths) => paths.toSorted((a, b) => scoreOf(b) - scoreOf(a))[0])
  const found = branches.filter((branch) => branch !== undefined)
  return found.length === list.length && found.length > 0 ? found : undefined
}

function toNatural(order: unknown): number | undefined {
  if (!isDocument(order) || !('$natural' in order)) return undefined
  return Number(order['$natural'])
}

function requireIndex(collection: Collection, hint: unknown): Index {
  const found = findIndex(collection, hint)
  if (found && !found.hidden) return found
  throw new CommandError(
    'BadValue',
    'error processing query: planner returned error: bad hint: hint provided does not correspond to an existing index',
  )
}
