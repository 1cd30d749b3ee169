import { type Access, type Rule, type RuleForm, toRule } from '../access/access.ts'

/** The facts about a caller of the access check. */
export interface CallerFacts {
  readonly roles: readonly string[]
  readonly permissions: readonly string[]
  /** Roles in the organization of the request; undefined for users who are not members. */
  readonly memberRoles?: readonly string[] | undefined
  /** Scopes of the API key; undefined for people. */
  readonly scopes?: readonly string[] | undefined
}

/** Whose document a request is about. */
export interface DocumentFacts {
  /** Whether the caller owns it. */
  readonly own: boolean
  /** Whether it belongs to the organization of the request. */
  readonly inOrganization: boolean
}

/** Whether the access refuses the caller (403), hides the document (404), or admits the request. */
export type Outcome = 'refused' | 'outside' | 'reached'

// Lists the outcomes that the access of a route allows for a request. Of a rule of the application everything is possible. It repeats what the
// rules of the framework state instead of asking them, so that a fault in one of them is found.
export function toOutcomes(
  access: Access,
  caller: CallerFacts,
  document?: DocumentFacts,
): ReadonlySet<Outcome> {
  const rule = toRule(access)
  const isOutsider = caller.scopes === undefined && caller.memberRoles === undefined
  // For users who are not members the organization does not exist, whatever other rules say.
  if (isOutsider && toLeaves(access).some(({ form }) => form?.kind === 'member'))
    return one('outside')
  return hasCaller(rule, caller) ? decide(rule, caller, document) : one('refused')
}

function decide(
  rule: Rule,
  caller: CallerFacts,
  document: DocumentFacts | undefined,
): ReadonlySet<Outcome> {
  const { form } = rule
  if (!form) return decideUnknown(rule, caller)
  switch (form.kind) {
    case 'everyone':
      return one('reached')
    case 'owner':
      return one(document?.own === false ? 'outside' : 'reached')
    case 'role':
      return admitIf(caller.roles.includes(form.name))
    case 'permission':
      return admitIf(caller.permissions.includes(form.name))
    case 'fresh':
    case 'multiFactor':
      // The callers of the matrix have just logged in, with a second factor.
      return admitIf(!caller.scopes)
    case 'member':
      return one(decideMember(form.roles, caller, document))
    default:
      return combine(form, caller, document)
  }
}

function decideUnknown(
  { scopes }: Rule,
  { permissions, roles }: CallerFacts,
): ReadonlySet<Outcome> {
  const known = [...roles, ...permissions]
  return scopes.every((name) => known.includes(name)) ? new Set(order) : one('refused')
}

function decideMember(
  needed: readonly string[],
  { memberRoles }: CallerFacts,
  document: DocumentFacts | undefined,
): Outcome {
  if (!memberRoles) return 'outside'
  const hasRole = needed.length === 0 || needed.some((name) => memberRoles.includes(name))
  if (!hasRole) return 'refused'
  return document?.inOrganization === false ? 'outside' : 'reached'
}

// From the one that refuses most.
const order: readonly Outcome[] = ['refused', 'outside', 'reached']

function combine(
  { kind, rules }: Extract<RuleForm, { kind: 'any' | 'all' }>,
  caller: CallerFacts,
  document: DocumentFacts | undefined,
): ReadonlySet<Outcome> {
  const choose = kind === 'all' ? Math.min : Math.max
  let ranks = new Set([kind === 'all' ? order.length - 1 : 0])
  for (const rule of rules) {
    // `any` offers an API key only the rules that its scopes decide; for `all`, one of them is enough.
    const isOffered = kind === 'all' || hasCaller(rule, caller)
    const outcomes = isOffered ? decide(rule, caller, document) : one('refused')
    const own = [...outcomes].map((outcome) => order.indexOf(outcome))
    ranks = new Set([...ranks].flatMap((rank) => own.map((other) => choose(rank, other))))
  }
  return new Set([...ranks].map((rank) => order[rank] ?? 'reached'))
}

function hasCaller({ byScope }: Rule, { scopes }: CallerFacts): boolean {
  return scopes === undefined || byScope || scopes.includes('user')
}

function admitIf(condition: boolean): ReadonlySet<Outcome> {
  return one(condition ? 'reached' : 'refused')
}

function one(outcome: Outcome): ReadonlySet<Outcome> {
  return new Set([outcome])
}

// The rules that a rule consists of.
export function toLeaves(access: Access): Rule[] {
  const rule = toRule(access)
  const { form } = rule
  return form?.kind === 'any' || form?.kind === 'all' ? form.rules.flatMap(toLeaves) : [rule]
}
