import { compareConstraints } from './compare-constraints.ts'
import { type Comparison, type Direction, type Pair } from './comparison.ts'
import { isJson, isSame, type Json, listAt, objectAt } from './json.ts'
import { normaliseSchema } from './normalise-schema.ts'

export interface SchemaComparison extends Comparison {
  readonly direction: Direction
}

// What clients send may only widen, what they read may only narrow. A missing schema accepts anything.
export function compareSchemas(
  comparison: SchemaComparison,
  pair: Pair<unknown>,
  at: string,
): void {
  const visited = new Set<string>()
  const compare: Compare = (inner, place) => {
    const key = toReferences(inner)
    // A schema that refers to itself is compared once.
    if (key !== undefined && visited.has(key)) return
    if (key !== undefined) visited.add(key)
    const before = normaliseSchema(comparison.before, inner.before)
    const after = normaliseSchema(comparison.after, inner.after)
    compareResolved({ ...comparison, compare }, { before, after }, place)
  }
  compare(pair, at)
}

type Compare = (pair: Pair<unknown>, at: string) => void

interface Inner extends SchemaComparison {
  readonly compare: Compare
}

function toReferences({ before, after }: Pair<unknown>): string | undefined {
  const names = [before, after].map((schema) => (isJson(schema) ? schema['$ref'] : undefined))
  return names.every((name) => typeof name === 'string') ? names.join(' ') : undefined
}

function compareResolved(inner: Inner, pair: Pair<Json>, at: string): void {
  const variants = [pair.before, pair.after].filter(hasVariants).length
  if (variants > 0) compareVariants(inner, pair, at)
  if (variants === 1) return
  compareOther(inner, pair, at)
  compareConstraints(inner, pair, at)
  if ('properties' in pair.before || 'properties' in pair.after) {
    compareProperties(inner, pair, at)
  }
  const items = { before: pair.before['items'], after: pair.after['items'] }
  if (isJson(items.before) && isJson(items.after)) inner.compare(items, `${at}[]`)
  compareAdditional(inner, pair, at)
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
  const { direction, report } = inner
  const before = objectAt(pair.before, 'properties')
  const after = objectAt(pair.after, 'properties')
  for (const name of Object.keys({ ...before, ...after })) {
    const place = `${at}.${name}`
    const required = {
      before: listAt(pair.before, 'required').includes(name),
      after: listAt(pair.after, 'required').includes(name),
    }
    if (!Object.hasOwn(after, name)) {
      // An open object still accepts it.
      const lost = direction === 'output' || pair.after['additionalProperties'] === false
      if (lost) report(`${direction}-property-removed`, place, 'removed')
    } else if (Object.hasOwn(before, name)) {
      compareRequired(inner, required, place)
      inner.compare({ before: before[name], after: after[name] }, place)
    } else if (direction === 'input' && required.after) {
      report('input-property-required', place, 'new and required')
    } else {
      report(`${direction}-property-added`, place, 'new')
    }
  }
}

function compareRequired({ direction, report }: Inner, pair: Pair<boolean>, at: string): void {
  const required = direction === 'input' ? 'now required' : 'now always present'
  if (pair.after && !pair.before) report(`${direction}-property-required`, at, required)
  if (pair.before && !pair.after) report(`${direction}-property-optional`, at, 'now optional')
}

function compareAdditional(
  { compare, direction, report }: Inner,
  pair: Pair<Json>,
  at: string,
): void {
  const [before, after] = [pair.before, pair.after].map((schema) => schema['additionalProperties'])
  if (isJson(before) && isJson(after)) compare({ before, after }, `${at}.*`)
  const objects = pair.before['type'] === 'object' && pair.after['type'] === 'object'
  if (direction === 'output' || !objects) return
  if (before !== false && after === false) report('input-closed', at, 'unknown properties rejected')
  if (before === false && after !== false) report('input-opened', at, 'unknown properties accepted')
}

const incomparable = [
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'prefixItems',
  'contains',
  'propertyNames',
]

function compareOther({ report }: Inner, { before, after }: Pair<Json>, at: string): void {
  for (const keyword of incomparable) {
    if (!isSame(before[keyword], after[keyword])) report('schema-changed', at, `${keyword} changed`)
  }
}
