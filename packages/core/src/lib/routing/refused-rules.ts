import { type Request } from 'express'
import { ask, type Rule, whenAll } from '../access/access.ts'
import { type ApiRequest } from '../route/request.ts'
import { type FieldRule } from '../schemas/schema-marks.ts'

// The rules of fields that refuse the caller of a request.
const refusals = new WeakMap<Request, ReadonlySet<Rule>>()

// Asks the rules of fields about the caller, each of them once.
export function askFieldRules(
  fieldRules: readonly FieldRule[],
  req: ApiRequest,
): void | Promise<void> {
  const byRule = [...new Map(fieldRules.map((fieldRule) => [fieldRule.rule, fieldRule])).values()]
  return whenAll(
    byRule,
    ({ rule }) => ask(rule, req.user, req),
    (decisions) => {
      const refused = byRule.filter((fieldRule, at) => !isAllowed(fieldRule, decisions[at]))
      refusals.set(req, new Set(refused.map(({ rule }) => rule)))
    },
  )
}

function isAllowed({ field, rule }: FieldRule, decision: unknown): boolean {
  if (typeof decision === 'boolean') return decision
  throw new Error(
    `The rule '${rule.name}' of the field '${field}' returned ${JSON.stringify(decision)}. A rule of a field returns true or false, because it holds for every document.`,
  )
}

// One value for each set of refused rules, created when a caller first needs it. Rules that have not been asked
// refuse.
export function forEachCaller<T>(
  fieldRules: readonly FieldRule[],
  create: (refused: ReadonlySet<Rule>) => T,
): (req: Request) => T {
  const rules = [...new Set(fieldRules.map(({ rule }) => rule))]
  if (rules.length === 0) {
    let only: T | undefined
    return () => (only ??= create(new Set()))
  }
  const known = new Map<string, T>()
  return (req) => {
    const refused = refusals.get(req)
    const own = new Set(rules.filter((rule) => refused?.has(rule) !== false))
    const key = rules.map((rule) => Number(own.has(rule))).join('')
    const value = known.get(key) ?? create(own)
    known.set(key, value)
    return value
  }
}
