import { type Request } from 'express'
import { type Permission, type Role, type User } from './caller.ts'
import { isPlainObject } from '../json/plain.ts'
import { findStale, StaleProof } from './stale-proof.ts'

/**
 * Who may call a route, and which documents the caller can reach: a word for a built-in rule, or a
 * {@link Rule}. `public` admits anyone. `optional` admits anyone, and loads the caller if there are
 * credentials. `user` admits any user. `owner` admits any user to the documents whose field `owner` is the id
 * of that user. The name of a role admits the users with that role.
 */
export type Access = AccessWord | Rule

/** An access of the framework. */
export type AccessWord = 'public' | 'optional' | 'user' | 'owner' | Role

/** A MongoDB filter of the documents that a caller can reach. */
export type AccessFilter = Readonly<Record<string, unknown>>

/** The result of a rule: `true` for every document, `false` to refuse the request, or a filter of the documents. */
export type Decision = boolean | AccessFilter

/** The form of a rule, which shows the framework how it decides. */
export type RuleForm =
  | { readonly kind: 'everyone' | 'owner' }
  | { readonly kind: 'role' | 'permission'; readonly name: string }
  /** Members of the organization of a request; without `roles`, all of them. */
  | { readonly kind: 'member'; readonly roles: readonly string[] }
  /** Users who have authenticated within a time in milliseconds. */
  | { readonly kind: 'fresh'; readonly maxAge: number }
  /** Users who have proved more than one factor in their session. */
  | { readonly kind: 'multiFactor' }
  | { readonly kind: 'any' | 'all'; readonly rules: readonly Rule[] }

/** A named decision about callers; created with {@link defineRule}, {@link any}, {@link all} or {@link role}. */
export interface Rule<Anonymous extends boolean = boolean> {
  /** Its name in the OpenAPI document, in listings and in errors. */
  readonly name: string
  /** Whether it decides about requests without credentials, too; otherwise they are a 401. */
  readonly anonymous: Anonymous
  /** Roles and permissions that a caller needs, for the OpenAPI document. */
  readonly scopes: readonly string[]
  /** Whether it needs the organization of the request. */
  readonly tenant: boolean
  /** Whether a role or a permission decides; for other rules, an API key needs the scope `user`. */
  readonly byScope: boolean
  /** How it decides; undefined for a rule of the application. */
  readonly form?: RuleForm | undefined
  /** Decides for a caller; the caller is undefined only if the rule is anonymous. */
  readonly decide: (user: User | undefined, req: Request) => Ruling | Promise<Ruling>
}

/** A decision, or a refusal of a caller who has to authenticate again. */
export type Ruling = Decision | StaleProof

/** Options for {@link defineRule}. */
export interface RuleOptions<Anonymous extends boolean = boolean> {
  /**
   * Whether it decides about requests without credentials, too.
   * @default false, they are a 401
   */
  readonly anonymous?: Anonymous | undefined
  /**
   * Roles and permissions that a caller needs, for the OpenAPI document only; the rule itself decides.
   * @default []
   */
  readonly scopes?: readonly string[] | undefined
  /**
   * Whether it needs the organization of the request, as `member` does. The API then checks at the start that each
   * request of the route names one, and the OpenAPI document says how.
   * @default false
   */
  readonly tenant?: boolean | undefined
}

/** The decision of a rule about a caller. */
export type Decide<Caller> = (user: Caller, req: Request) => Ruling | Promise<Ruling>

/**
 * Defines a rule: which documents a caller can reach. The rule runs once for each request, after the caller has been
 * loaded and before the query and the body are parsed. It returns `true` for every document, `false` to refuse the request
 * (403, or 401 without a caller), or a MongoDB filter, which the handler reads as `req.scope`.
 * @param name - its name in the OpenAPI document, in listings and in errors: `'editors'`
 * @param decide - returns the decision: `(user) => ({ organisation: user.organisation })`
 * @param options - whether requests without credentials are admitted, and scopes for the OpenAPI document
 * @returns the rule, for `access` of a route or a router
 * @example
 * ```ts
 * export const editors = defineRule('editors', (user) => ({ editors: user.id }))
 *
 * get('/', { access: any(editors, role('admin')) }, list)
 * ```
 */
export function defineRule(
  name: string,
  decide: Decide<User>,
  options?: RuleOptions<false>,
): Rule<false>
export function defineRule(
  name: string,
  decide: Decide<User | undefined>,
  options: RuleOptions<true> & { readonly anonymous: true },
): Rule<true>
export function defineRule(
  name: string,
  decide: Decide<never>,
  { anonymous = false, scopes = [], tenant = false }: RuleOptions = {},
): Rule {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the overloads state who the caller is, `ask` checks it
  const asked = decide as Rule['decide']
  return { name, anonymous, scopes, byScope: false, tenant, decide: asked }
}

/**
 * Combines rules: the caller can reach the documents that any of them allows.
 * @param accesses - words and rules
 * @returns the rule; it admits requests without credentials if one of them does
 */
export function any<A extends readonly Access[]>(
  ...accesses: A
): Rule<true extends OpenOf<A[number]> ? true : false>
export function any(...accesses: Access[]): Rule {
  return combine(accesses, {
    kind: 'any',
    word: 'or',
    isAnonymous: (rules) => rules.some(({ anonymous }) => anonymous),
    consult: ask,
    decide: (decisions) => {
      if (decisions.includes(true)) return true
      return join('$or', decisions.filter(isFilter)) ?? findStale(decisions) ?? false
    },
  })
}

/**
 * Combines rules: the caller can reach the documents that all of them allow.
 * @param accesses - words and rules
 * @returns the rule; it admits requests without credentials if all of them do
 */
export function all<A extends readonly Access[]>(
  ...accesses: A
): Rule<false extends OpenOf<A[number]> ? false : true>
export function all(...accesses: Access[]): Rule {
  return combine(accesses, {
    kind: 'all',
    word: 'and',
    isAnonymous: (rules) => rules.every(({ anonymous }) => anonymous),
    scopes: (rules) => rules.flatMap(({ scopes }) => scopes),
    // One rule about a role or a permission is enough for an API key.
    consult,
    decide: (decisions) => {
      if (decisions.includes(false)) return false
      return findStale(decisions) ?? join('$and', decisions.filter(isFilter)) ?? true
    },
  })
}

/**
 * Creates the rule that admits the users with a role.
 * @param name - the role
 * @returns the rule
 */
export function role(name: Role): Rule<false> {
  const rule = defineRule(`role ${name}`, ({ roles }) => roles.includes(name), { scopes: [name] })
  return { ...rule, byScope: true, form: { kind: 'role', name } }
}

/**
 * Creates the rule that admits the users whose roles include a permission, by `auth.roles`.
 * @param name - the permission
 * @returns the rule
 */
export function permission(name: Permission): Rule<false> {
  const decide = ({ permissions = [] }: User): boolean => permissions.includes(name)
  const rule = defineRule(`permission ${name}`, decide, { scopes: [name] })
  return { ...rule, byScope: true, form: { kind: 'permission', name } }
}

/** Whether an access admits requests without credentials. */
export type OpenOf<A> = A extends 'public' | 'optional'
  ? true
  : A extends Rule<infer Anonymous>
    ? Anonymous
    : false

type Consult = (rule: Rule, user: User | undefined, req: Request) => Ruling | Promise<Ruling>

// Asks a rule about a caller.
export const ask: Consult = (rule, user, req) =>
  consult(rule, mayAct(rule, req) ? user : undefined, req)

// Without a caller, a rule that is not anonymous refuses. Each part of a combination is asked so: a part that
// decides nothing must not count as one that allows everything.
const consult: Consult = (rule, user, req) => {
  if (!rule.anonymous && !user) return false
  const decision: unknown = rule.decide(user, req)
  return decision instanceof Promise
    ? decision.then((settled) => requireDecision(rule.name, settled))
    : requireDecision(rule.name, decision)
}

// Whether the credentials of a request have their user as caller of a rule: those of a person always, an API
// key only where its scopes decide (decision 070).
export function mayAct({ byScope }: Rule, { apiKey }: Request): boolean {
  return apiKey === undefined || byScope || apiKey.scopes.includes('user')
}

function requireDecision(rule: string, decision: unknown): Ruling {
  if (typeof decision === 'boolean' || decision instanceof StaleProof) return decision
  if (isPlainObject(decision) && Object.keys(decision).length > 0) return decision
  throw new Error(
    `The rule '${rule}' returned ${describe(decision)}. Return true for every document, false to refuse, or a filter with at least one condition.`,
  )
}

function describe(decision: unknown): string {
  if (typeof decision === 'function') return 'a function'
  const isInstance = typeof decision === 'object' && decision !== null && !isPlainObject(decision)
  if (isInstance) return `an instance of ${Object(decision).constructor.name}`
  return JSON.stringify(decision) ?? 'undefined'
}

const words: ReadonlyMap<string, Rule> = new Map(
  [
    defineRule('public', () => true, { anonymous: true }),
    defineRule('optional', () => true, { anonymous: true }),
    defineRule('user', () => true),
    defineRule('owner', (user) => ({ owner: user.id })),
  ].map((rule): [string, Rule] => [
    rule.name,
    { ...rule, form: { kind: rule.name === 'owner' ? 'owner' : 'everyone' } },
  ]),
)

export function toRule(access: Access): Rule {
  if (typeof access === 'object') return access
  return words.get(access) ?? toRoleRule(access)
}

const roleRules = new Map<string, Rule>()

// Every word that is not a rule of the framework is a role.
function toRoleRule(word: AccessWord): Rule {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the comment says
  const rule = roleRules.get(word) ?? role(word as Role)
  roleRules.set(word, rule)
  return rule
}

// Whether it surely is a filter for some callers. What the rules of an application return is known only to them.
export function isFilterByForm(access: Access): boolean {
  const { form } = toRule(access)
  if (form?.kind === 'any' || form?.kind === 'all') return form.rules.some(isFilterByForm)
  return form?.kind === 'owner' || form?.kind === 'member'
}

// Whether it may ask a caller to authenticate again.
export function requiresFreshness(access: Access): boolean {
  const { form } = toRule(access)
  if (form?.kind === 'any' || form?.kind === 'all') return form.rules.some(requiresFreshness)
  return form?.kind === 'fresh' || form?.kind === 'multiFactor'
}

// Whether anyone may call the route, and sees the same.
export function isOpen(access: Access): access is 'public' | 'optional' {
  return access === 'public' || access === 'optional'
}

// The name of an access in documents and listings.
export function toAccessName(access: Access): string {
  return typeof access === 'object' ? access.name : access
}

interface Combination {
  readonly kind: 'any' | 'all'
  readonly word: string
  readonly isAnonymous: (rules: readonly Rule[]) => boolean
  readonly scopes?: (rules: readonly Rule[]) => string[]
  readonly consult: Consult
  readonly decide: (decisions: readonly Ruling[]) => Ruling
}

function combine(accesses: readonly Access[], combination: Combination): Rule {
  const { consult: inner, decide, isAnonymous, word } = combination
  if (accesses.length === 0) throw new TypeError('A combination of rules needs at least one rule.')
  const rules = accesses.map(toRule)
  return {
    name: accesses.map((access) => toPartName(access, word)).join(` ${word} `),
    anonymous: isAnonymous(rules),
    scopes: combination.scopes?.(rules) ?? [],
    tenant: rules.some(({ tenant }) => tenant),
    byScope: rules.some(({ byScope }) => byScope),
    form: { kind: combination.kind, rules },
    decide(user, req) {
      return whenAll(rules, (rule) => inner(rule, user, req), decide)
    },
  }
}

function toPartName(access: Access, word: string): string {
  const name = toAccessName(access)
  const other = word === 'or' ? ' and ' : ' or '
  return name.includes(other) ? `(${name})` : name
}

// Asks for each item and continues, at once if there is nothing to wait for. What one throws is a rejection like that of the
// others: a promise that nothing waits for would end the process when it is rejected.
export function whenAll<Item, T, R>(
  items: readonly Item[],
  work: (item: Item) => T | Promise<T>,
  continueWith: (settled: readonly T[]) => R,
): R | Promise<R> {
  const values = items.map((item) => attempt(work, item))
  const settled: T[] = []
  for (const value of values) {
    if (value instanceof Promise) return Promise.all(values).then(continueWith)
    settled.push(value)
  }
  return continueWith(settled)
}

function attempt<Item, T>(work: (item: Item) => T | Promise<T>, item: Item): T | Promise<T> {
  try {
    return work(item)
  } catch (error) {
    return Promise.reject(error)
  }
}

function isFilter(decision: Ruling): decision is AccessFilter {
  return typeof decision !== 'boolean' && !(decision instanceof StaleProof)
}

function join(
  operator: '$or' | '$and',
  filters: readonly AccessFilter[],
): AccessFilter | undefined {
  return filters.length > 1 ? { [operator]: filters } : filters[0]
}
