import { compareContents, compareResponses } from './compare-contents.ts'
import { compareSchemas } from './compare-schemas.ts'
import { type Comparison, type Pair } from './comparison.ts'
import { type Operation } from './document.ts'
import { isJson, isSame, type Json, objectAt } from './json.ts'

export function compareOperations(comparison: Comparison, pair: Pair<Operation>): void {
  const { report } = comparison
  const [before, after] = [pair.before.json, pair.after.json]
  const [oldId, newId] = [before['operationId'], after['operationId']]
  if (oldId !== newId) {
    report('operation-renamed', '', `operationId ${String(oldId)} → ${String(newId)}`)
  }
  if (after['deprecated'] === true && before['deprecated'] !== true) {
    report('operation-deprecated', '', 'deprecated')
  }
  compareSunsets(comparison, { before, after })
  compareAccess(comparison, pair)
  compareParameters(comparison, pair)
  compareBodies(comparison, { before, after })
  compareResponses(comparison, { before, after })
}

// When clients must expect that an operation no longer works: a date, or a date and time.
export function toSunset(operation: Json): { readonly text: string; readonly time: number } {
  const text = String(operation['x-sunset'])
  const time = operation['deprecated'] === true ? Date.parse(text) : Number.NaN
  return { text, time: Number.isNaN(time) ? Infinity : time }
}

function compareSunsets({ report }: Comparison, pair: Pair<Json>): void {
  const [before, after] = [toSunset(pair.before), toSunset(pair.after)]
  // The first sunset of an operation is its announcement.
  if (before.time === Infinity || before.time === after.time) return
  const message = `sunset ${before.text} → ${after.time === Infinity ? 'none' : after.text}`
  report(after.time < before.time ? 'sunset-earlier' : 'sunset-later', '', message)
}

function compareAccess({ report }: Comparison, pair: Pair<Operation>): void {
  const [earlier, later] = [toAccess(pair.before), toAccess(pair.after)]
  if (isSame(earlier, later)) return
  // Between two groups of users some caller always loses access.
  const looser = rankOf(later) < rankOf(earlier)
  const message = `access ${toText(earlier)} → ${toText(later)}`
  report(looser ? 'access-looser' : 'access-stricter', '', message)
}

// `x-access` is written by @create-api/core; other documents have security requirements only.
function toAccess({ json, security }: Operation): unknown {
  if (json['x-access'] !== undefined) return json['x-access']
  return isOptional(security) ? 'public' : security
}

// No requirement, or an empty one among them.
function isOptional(security: unknown): boolean {
  if (!Array.isArray(security) || security.length === 0) return true
  return security.some((item) => isJson(item) && Object.keys(item).length === 0)
}

function rankOf(access: unknown): number {
  if (access === 'public') return 0
  return access === 'user' ? 1 : 2
}

function toText(access: unknown): string {
  return typeof access === 'string' ? access : JSON.stringify(access)
}

function compareParameters(comparison: Comparison, pair: Pair<Operation>): void {
  const { report } = comparison
  const [earlier, later] = [pair.before.parameters, pair.after.parameters]
  for (const [at, before] of earlier) {
    const after = later.get(at)
    if (after === undefined) {
      report('parameter-removed', at, 'removed')
      continue
    }
    compareRequired(comparison, { before, after }, at)
    const schemas = { before: toSchema(before), after: toSchema(after) }
    compareSchemas({ ...comparison, direction: 'input' }, schemas, at)
  }
  for (const [at, after] of later) {
    if (earlier.has(at)) continue
    if (after['required'] === true) report('parameter-required', at, 'new and required')
    else report('parameter-added', at, 'new')
  }
}

function compareRequired({ report }: Comparison, pair: Pair<Json>, at: string): void {
  const [before, after] = [pair.before['required'] === true, pair.after['required'] === true]
  const subject = at === 'body' ? 'body' : 'parameter'
  if (after && !before) report(`${subject}-required`, at, 'now required')
  if (before && !after) report(`${subject}-optional`, at, 'now optional')
}

// A parameter has a schema, or a single media type with one.
function toSchema(parameter: Json): unknown {
  const [content] = Object.values(objectAt(parameter, 'content'))
  return parameter['schema'] ?? (isJson(content) ? content['schema'] : undefined)
}

function compareBodies(comparison: Comparison, pair: Pair<Json>): void {
  const { report } = comparison
  const before = comparison.before.resolve(pair.before['requestBody'])
  const after = comparison.after.resolve(pair.after['requestBody'])
  if ('content' in before && 'content' in after) {
    compareRequired(comparison, { before, after }, 'body')
    compareContents({ ...comparison, direction: 'input' }, { before, after }, 'body')
  } else if ('content' in before) {
    report('body-removed', 'body', 'removed')
  } else if ('content' in after) {
    if (after['required'] === true) report('body-required', 'body', 'new and required')
    else report('body-added', 'body', 'new')
  }
}
