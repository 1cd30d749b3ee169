import { compareConstraints } from './compare-constraints.ts'
import { type Comparison, type Direction, type Pair } from './difference.ts'
import { isJson, isSame, type Json, listAt, objectAt } from './json.ts'

/** What a comparison of schemas needs. */
export interface SchemaComparison extends Comparison {
  readonly direction: Direction
}

/** Compares the schemas of one part. */
type Compare = (pair: Pair<unknown>, at: string) => void

/**
 * Compares two schemas: what clients send may only widen, what they read may only narrow.
 *
 * @param comparison the documents, and whether clients send or read it
 * @param pair the schema in both; without one, anything is valid
 * @param at where it is
 */
export function compareSchemas(
  comparison: SchemaComparison,
  pair: Pair<unknown>,
  at: string,
): void {
  const visited = new Set<string>()
  const compare: Compare = (inner, place) => {
    const key = toReferences(inner)
    if (key !== undefined && visited.has(key)) return
    if (key !== undefined) visited.add(key)
    const before = comparison.before.resolve(inner.before)
    const after = comparison.after.resolve(inner.after)
    compareResolved({ ...comparison, compare }, { before, after }, place)
  }
  compare(pair, at)
}

interface Inner extends SchemaComparison {
  readonly compare: Compare
}

// A schema that refers to itself is compared once.
function toReferences({ before, after }: Pair<unknown>): string | undefined {
  const names = [before, after].map((schema) => (isJson(schema) ? schema['$ref'] : undefined))
  return names.every((name) => typeof name === 'string') ? names.join(' ') : undefined
}

function compareResolved(inner: Inner, pair: Pair<Json>, at: string): void {
  if (hasVariants(pair.before) || hasVariants(pair.after)) {
    compareVariants(inner, pair, at)
    return
  }
  compareOther(inner, pair, at)
  compareConstraints(inner, pair, at)
  if ('properties' in pair.before || 'properties' in pair.after) {
    compareProperties(inner, pair, at)
  }
  const items = { before: pair.before['items'], after: pair.after['items'] }
  if (isJson(items.before) && isJson(items.after)) inner.compare(items, `${at}[]`)
  compareRest(inner, pair, at)
}

function hasVariants(schema: Json): boolean {
  return 'anyOf' in schema || 'oneOf' in schema
}

function toVariants(schema: Json): readonly unknown[] {
  if (!hasVariants(schema)) return [schema]
  return [...listAt(schema, 'anyOf'), ...listAt(schema, 'oneOf')]
}

function compareVariants(
  { compare, direction, report }: Inner,
  pair: Pair<Json>,
  at: string,
): void {
  const left = [...toVariants(pair.after)]
  const lost = toVariants(pair.before).filter((before) => {
    const index = left.findIndex((after) => isSame(before, after))
    if (index === -1) return true
    // The same reference may lead to something else.
    compare({ before, after: left.splice(index, 1)[0] }, at)
    return false
  })
  if (lost.length === 1 && left.length === 1) {
    compare({ before: lost[0], after: left[0] }, at)
    return
  }
  if (lost.length > 0) report(`${direction}-type-narrowed`, at, `${lost.length} variants removed`)
  if (left.length > 0) report(`${direction}-type-widened`, at, `${left.length} variants new`)
}

function compareProperties(inner: Inner, pair: Pair<Json>, at: string): void {
  const before = objectAt(pair.before, 'properties')
  const after = objectAt(pair.after, 'properties')
  for (const name of Object.keys({ ...before, ...after })) {
    const place = `${at}.${name}`
    const required = {
      before: listAt(pair.before, 'required').includes(name),
      after: listAt(pair.after, 'required').includes(name),
    }
    if (!(name in after)) reportRemoved(inner, pair.after, place)
    else if (!(name in before)) reportAdded(inner, required.after, place)
    else {
      reportRequired(inner, required, place)
      inner.compare({ before: before[name], after: after[name] }, place)
    }
  }
}

function reportRemoved({ direction, report }: Inner, after: Json, at: string): void {
  // An open object still takes it.
  const refused = direction === 'output' || after['additionalProperties'] === false
  if (refused) report(`${direction}-property-removed`, at, 'removed')
}

function reportAdded({ direction, report }: Inner, required: boolean, at: string): void {
  if (direction === 'input' && required) report('input-property-required', at, 'new and required')
  else report(`${direction}-property-added`, at, 'new')
}

function reportRequired({ direction, report }: Inner, required: Pair<boolean>, at: string): void {
  if (required.before === required.after) return
  if (required.after) report(`${direction}-property-required`, at, 'now always there')
  else report(`${direction}-property-optional`, at, 'now optional')
}

function compareRest({ compare, direction, report }: Inner, pair: Pair<Json>, at: string): void {
  const [before, after] = [pair.before, pair.after].map((schema) => schema['additionalProperties'])
  if (isJson(before) && isJson(after)) compare({ before, after }, `${at}.*`)
  if (direction === 'output' || !isObject(pair.before) || !isObject(pair.after)) return
  if (before !== false && after === false) report('input-closed', at, 'unknown properties refused')
  if (before === false && after !== false) report('input-opened', at, 'unknown properties taken')
}

function isObject(schema: Json): boolean {
  return schema['type'] === 'object'
}

const unjudged = ['allOf', 'not', 'if', 'then', 'else', 'prefixItems', 'contains', 'propertyNames']

function compareOther({ report }: Inner, { before, after }: Pair<Json>, at: string): void {
  for (const keyword of unjudged) {
    if (!isSame(before[keyword], after[keyword])) report('schema-changed', at, `${keyword} changed`)
  }
}
