import {
  type Access,
  all,
  any,
  type ApiRequest,
  defineRule,
  permission,
  type Role,
  role,
} from '../../../src/index.ts'
import { member, memberRole } from '../../../src/tenants.ts'
import { type Doc, matches } from './matches.ts'
import { createFilter, type Random, withCaller } from './random-rules.ts'

/** An access of a route, a reference or a field, as a value that can be evaluated without the library. */
export type Spec =
  | { readonly kind: 'optional' | 'user' | 'owner' | 'member' }
  | { readonly kind: 'role' | 'permission' | 'memberRole' | 'tenantRole'; readonly name: string }
  | { readonly kind: 'filter'; readonly filter: Doc; readonly anonymous: boolean }
  | { readonly kind: 'users'; readonly emails: readonly string[] }
  | { readonly kind: 'any' | 'all'; readonly parts: readonly Spec[] }

/** Who sends a request, and what the application knows of them. */
export interface Party {
  readonly user: Person | undefined
  /** Scopes of the API key that was sent instead of an access token. */
  readonly scopes: readonly string[] | undefined
  /** Roles in the organization that the request names; undefined for others. */
  readonly memberRoles: readonly string[] | undefined
  readonly organization: string | undefined
}

export interface Person {
  readonly id: string
  readonly email: string
  readonly roles: readonly string[]
  readonly permissions: readonly string[]
}

/** Which documents a party can reach; false if it is refused. */
export type Reach = false | ((document: Doc) => boolean)

/** The organization of the request does not exist for its caller. */
export class NoSuchOrganization extends Error {}

const memberRoles = ['admin', 'editor'] as const
const siteRoles = ['admin', 'editor', 'auditor'] as const
const permissions = ['things:write', 'things:audit'] as const

export const emails = ['ada', 'bob', 'cleo', 'dan'].map((name) => `${name}@example.org`)

/** An access of a route; with organizations it always requires that the caller is a member. */
export function createSpec(random: Random, inTenant: boolean): Spec {
  if (!inTenant) return createPart(random, 2)
  const joined: Spec = random.chance(60)
    ? { kind: 'member' }
    : { kind: 'memberRole', name: random.pick(memberRoles) }
  if (random.chance(40)) return joined
  return { kind: 'all', parts: [joined, createPart(random, 1)] }
}

function createPart(random: Random, depth: number): Spec {
  if (depth > 0 && random.chance(35)) {
    const parts = Array.from({ length: 1 + random.below(3) }, () => createPart(random, depth - 1))
    return { kind: random.pick(['any', 'all']), parts }
  }
  return random.pick<() => Spec>([
    () => ({ kind: 'user' }),
    () => ({ kind: 'owner' }),
    () => ({ kind: 'owner' }),
    () => ({ kind: 'optional' }),
    () => ({ kind: 'role', name: random.pick(siteRoles) }),
    () => ({ kind: 'permission', name: random.pick(permissions) }),
    () => ({ kind: 'filter', filter: createFilter(random, 1), anonymous: random.chance(30) }),
    () => ({ kind: 'filter', filter: createFilter(random, 1), anonymous: random.chance(30) }),
  ])()
}

/** An access of a field, which decides for all documents. */
export function createFieldSpec(random: Random, inTenant: boolean): Spec {
  const leaf = (): Spec =>
    random.pick<Spec>([
      { kind: 'user' },
      { kind: 'role', name: random.pick(siteRoles) },
      { kind: 'permission', name: random.pick(permissions) },
      { kind: 'users', emails: emails.filter(() => random.chance(50)) },
      inTenant ? { kind: 'tenantRole', name: random.pick(memberRoles) } : { kind: 'user' },
    ])
  if (random.chance(60)) return leaf()
  return { kind: random.pick(['any', 'all']), parts: [leaf(), leaf()] }
}

/** The access as an application states it. */
export function toAccess(spec: Spec): Access {
  switch (spec.kind) {
    case 'role':
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these roles are not declared for the other tests
      return role(spec.name as Role)
    case 'permission':
      return permission(spec.name)
    case 'member':
      return member
    case 'memberRole':
      return memberRole(spec.name)
    case 'tenantRole':
      return defineRule(
        spec.name,
        (_, req: ApiRequest) => req.tenant?.roles.includes(spec.name) ?? false,
      )
    case 'users':
      return defineRule('users', ({ email }) => spec.emails.includes(email))
    case 'filter':
      return spec.anonymous
        ? defineRule('open', (user) => withCaller(spec.filter, user), { anonymous: true })
        : defineRule('closed', async (user) => withCaller(spec.filter, user))
    case 'any':
      return any(...spec.parts.map(toAccess))
    case 'all':
      return all(...spec.parts.map(toAccess))
    default:
      return spec.kind
  }
}

const everything = (): boolean => true

/** What docs/access.md says that an access allows. */
export function evaluate(spec: Spec, party: Party): Reach {
  return evaluatePart(spec, isDecided(spec, party) ? party : { ...party, user: undefined })
}

/** Whether requests without credentials are admitted, as far as the rules are. */
export function isOpen(spec: Spec): boolean {
  if (spec.kind === 'any') return spec.parts.some(isOpen)
  if (spec.kind === 'all') return spec.parts.every(isOpen)
  return spec.kind === 'optional' || (spec.kind === 'filter' && spec.anonymous)
}

/** Whether the credentials of a party are enough for a rule: an API key needs its scopes, or `user`. */
export function isDecided(spec: Spec, { scopes }: Party): boolean {
  return scopes === undefined || scopes.includes('user') || isAboutScopes(spec)
}

function isAboutScopes(spec: Spec): boolean {
  if ('parts' in spec) return spec.parts.some(isAboutScopes)
  return spec.kind === 'role' || spec.kind === 'permission'
}

function evaluatePart(spec: Spec, party: Party): Reach {
  if (spec.kind === 'any') return unite(spec.parts.map((part) => evaluate(part, party)))
  if (spec.kind === 'all') return intersect(spec.parts.map((part) => evaluatePart(part, party)))
  const { user } = party
  if (spec.kind === 'optional') return everything
  if (spec.kind === 'filter') {
    if (!user && !spec.anonymous) return false
    const filter = withCaller(spec.filter, user)
    return (document) => matches(document, filter)
  }
  if (!user) return false
  switch (spec.kind) {
    case 'user':
      return everything
    case 'owner':
      return ({ owner }) => String(owner) === user.id
    case 'role':
      return user.roles.includes(spec.name) && everything
    case 'permission':
      return user.permissions.includes(spec.name) && everything
    case 'users':
      return spec.emails.includes(user.email) && everything
    case 'tenantRole':
      return (party.memberRoles ?? []).includes(spec.name) && everything
    default:
      return evaluateMember(spec, party)
  }
}

function evaluateMember(spec: Spec, { memberRoles: own, organization: id }: Party): Reach {
  if (!own) throw new NoSuchOrganization()
  if (spec.kind === 'memberRole' && !own.includes(spec.name)) return false
  return ({ organization }) => String(organization) === id
}

function unite(reaches: readonly Reach[]): Reach {
  const allowed = reaches.filter((reach) => reach !== false)
  return allowed.length > 0 && ((document) => allowed.some((reach) => reach(document)))
}

function intersect(reaches: readonly Reach[]): Reach {
  const allowed = reaches.filter((reach) => reach !== false)
  return (
    allowed.length === reaches.length && ((document) => allowed.every((reach) => reach(document)))
  )
}

/** The fields that the filters of an access compare. */
export function toCompared(spec: Spec): string[] {
  if ('parts' in spec) return spec.parts.flatMap(toCompared)
  if (spec.kind === 'owner') return ['owner']
  return spec.kind === 'filter' ? toFilterFields(spec.filter) : []
}

function toFilterFields(filter: Doc): string[] {
  return Object.entries(filter).flatMap(([key, value]) =>
    key.startsWith('$') && Array.isArray(value)
      ? value.flatMap((part) => toFilterFields(Object(part)))
      : [key.split('.')[0] ?? key],
  )
}
