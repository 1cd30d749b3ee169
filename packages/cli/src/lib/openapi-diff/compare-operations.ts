import { compareAccess } from './compare-access.ts'
import { compareContents } from './compare-contents.ts'
import { compareResponses } from './compare-responses.ts'
import { compareSchemas } from './compare-schemas.ts'
import { type Comparison, type Pair } from './difference.ts'
import { type Document } from './document.ts'
import { type Json, listAt, objectAt } from './json.ts'

/**
 * Compares one operation of two documents.
 *
 * @param comparison the documents
 * @param pair the operation in both
 */
export function compareOperations(comparison: Comparison, pair: Pair<Json>): void {
  const { before, after } = pair
  const [oldId, newId] = [before['operationId'], after['operationId']]
  if (oldId !== newId) {
    comparison.report('operation-renamed', '', `operationId ${String(oldId)} → ${String(newId)}`)
  }
  if (after['deprecated'] === true && before['deprecated'] !== true) {
    comparison.report('operation-deprecated', '', 'deprecated')
  }
  compareAccess(comparison, pair)
  compareParameters(comparison, pair)
  compareBodies(comparison, pair)
  compareResponses(comparison, pair)
}

function compareParameters(comparison: Comparison, pair: Pair<Json>): void {
  const { report } = comparison
  const known = listParameters(comparison.before, pair.before)
  const taken = listParameters(comparison.after, pair.after)
  for (const [at, before] of known) {
    const after = taken.get(at)
    if (after === undefined) {
      report('parameter-removed', at, 'removed')
      continue
    }
    const required = { before: before['required'] === true, after: after['required'] === true }
    if (required.after && !required.before) report('parameter-required', at, 'now required')
    if (required.before && !required.after) report('parameter-optional', at, 'now optional')
    const schemas = { before: before['schema'], after: after['schema'] }
    compareSchemas({ ...comparison, direction: 'input' }, schemas, at)
  }
  for (const [at, after] of taken) {
    if (known.has(at)) continue
    if (after['required'] === true) report('parameter-required', at, 'new and required')
    else report('parameter-added', at, 'new')
  }
}

// Path parameters are known by their place, others by their name.
function listParameters(document: Document, operation: Json): ReadonlyMap<string, Json> {
  const parameters = listAt(operation, 'parameters').map((item) => document.resolve(item))
  let place = 0
  return new Map(
    parameters.map((parameter) => {
      const kind = String(parameter['in'])
      const name = kind === 'path' ? String((place += 1)) : String(parameter['name'])
      return [`${kind}.${kind === 'header' ? name.toLowerCase() : name}`, parameter]
    }),
  )
}

function compareBodies(comparison: Comparison, pair: Pair<Json>): void {
  const { report } = comparison
  const before = comparison.before.resolve(pair.before['requestBody'])
  const after = comparison.after.resolve(pair.after['requestBody'])
  const had = 'content' in before
  const has = 'content' in after
  if (had && !has) report('body-removed', 'body', 'removed')
  if (!had && has) {
    if (after['required'] === true) report('body-required', 'body', 'new and required')
    else report('body-added', 'body', 'new')
  }
  if (!had || !has) return
  const required = { before: before['required'] === true, after: after['required'] === true }
  if (required.after && !required.before) report('body-required', 'body', 'now required')
  if (required.before && !required.after) report('body-optional', 'body', 'now optional')
  compareContents(
    comparison,
    { before: objectAt(before, 'content'), after: objectAt(after, 'content') },
    { direction: 'input', at: 'body' },
  )
}
