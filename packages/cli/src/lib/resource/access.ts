import { closestName } from '@create-api/core/internal/closest-name'
import { quoted } from '../code/literals.ts'
import { CliError } from '../errors/cli-error.ts'
import {
  type ActionName,
  actions,
  actionTable,
  mapActions,
  type OfActions,
  readActions,
} from './actions.ts'

// Who may do what with a resource.
export interface ResourceAccess {
  /** As on the command line: `owner`, or `list=public,create=user,update=owner,delete=role:admin`. */
  readonly text: string
  /** For each action alternatives such as `owner`, `role:admin` and `rule:editors`. */
  readonly of: OfActions<readonly string[]>
}

const groups: ReadonlyMap<string, readonly ActionName[]> = new Map(
  (['read', 'write'] as const).map((group) => [
    group,
    actions.filter((action) => actionTable[action].group === group),
  ]),
)

// Reads the value of `--access`.
export function parseAccess(text: string, chosen: readonly ActionName[] = actions): ResourceAccess {
  const given = text.includes('=') ? parsePairs(text) : new Map(actions.map((name) => [name, text]))
  for (const action of actions) {
    const followed = given.get(actionTable[action].follows ?? action)
    if (followed !== undefined && !given.has(action)) given.set(action, followed)
  }
  const missing = chosen.find((action) => !given.has(action))
  if (missing !== undefined) {
    throw usage(`--access ${text} does not say who may ${missing}`, `${text},${missing}=user`)
  }
  const of = mapActions((action) => parseAlternatives(given.get(action) ?? 'user'))
  const access: ResourceAccess = { text, of }
  requireOwnerOfCreated(access, chosen)
  return access
}

// The access of a generated resource and its actions, as the manifest keeps them.
export function readAccess(
  options: Readonly<Record<string, string | undefined>>,
): [access: ResourceAccess, actions: readonly ActionName[]] {
  const chosen = readActions(options['actions'])
  return [parseAccess(options['access'] ?? 'public', chosen), chosen]
}

export const noAccess: ResourceAccess['of'] = mapActions(() => [])

function parsePairs(text: string): Map<ActionName, string> {
  const given = new Map<ActionName, string>()
  for (const pair of text.split(',')) {
    const [name = '', alternatives = ''] = pair.split('=')
    const action = actions.find((known) => known === name)
    const names = groups.get(name) ?? (action ? [action] : [])
    if (names.length === 0 || alternatives === '') {
      const known = [...actions, ...groups.keys()].join(', ')
      throw new CliError('USAGE', `--access ${pair} is not <action>=<who>; actions: ${known}`, {
        hint: 'for example --access read=public,create=user,update=owner,delete=role:admin',
      })
    }
    for (const one of names) {
      // A single action counts more than a group, wherever it is written.
      if (action !== undefined || !given.has(one)) given.set(one, alternatives)
    }
  }
  return given
}

function parseAlternatives(text: string): readonly string[] {
  const alternatives = text.split('|')
  const wrong = alternatives.find(
    (word) => !/^(public|user|owner|(role|rule):[a-z]\w*)$/i.test(word),
  )
  if (wrong !== undefined) throw unknownAccess(wrong)
  const open = alternatives.find((word) => word === 'public' || word === 'user')
  if (open !== undefined && alternatives.length > 1) {
    throw usage(`--access ${text}: "${open}" includes the others`, open)
  }
  return alternatives
}

// A document without an owner could be changed by no one.
function requireOwnerOfCreated(access: ResourceAccess, chosen: readonly ActionName[]): void {
  if (!isOwned(access) || !chosen.includes('create')) return
  if (!access.of.create.includes('public')) return
  throw new CliError(
    'USAGE',
    `--access ${access.text}: documents that are created without a token have no owner`,
    {
      hint: 'use create=user',
    },
  )
}

function unknownAccess(word: string): CliError {
  const near = closestName(word, ['public', 'user', 'owner'])
  return new CliError('USAGE', `--access ${word}: there is no such access`, {
    hint:
      near === undefined
        ? 'use public, user, owner, role:<name> or rule:<name>'
        : `Did you mean ${near}?`,
  })
}

function usage(message: string, example: string): CliError {
  return new CliError('USAGE', message, { hint: `for example --access ${example}` })
}

// Whether documents have an owner.
export function isOwned({ of }: ResourceAccess): boolean {
  return Object.values(of).some((alternatives) => alternatives.includes('owner'))
}

// Whether a rule decides which documents an action reaches.
export function isScoped(access: ResourceAccess): boolean {
  return isOwned(access) || toRules(access).length > 0
}

export function isMixed({ text }: ResourceAccess): boolean {
  return text.includes('=')
}

// The rules of `src/access.ts` that it names.
export function toRules({ of }: Pick<ResourceAccess, 'of'>): readonly string[] {
  return toRulesOf(Object.values(of).flat())
}

export function toRulesOf(words: readonly string[]): readonly string[] {
  return [...new Set(words.flatMap(toRule))]
}

export function toRoles({ of }: ResourceAccess): readonly string[] {
  return [...new Set(Object.values(of).flat().flatMap(toRole))]
}

// Whether alternatives admit only some users, or each to some documents.
export function isRestricted(alternatives: readonly string[]): boolean {
  return !alternatives.includes('public') && !alternatives.includes('user')
}

// Whether only a rule of the application decides, which a generated test cannot know.
export function isByRule(alternatives: readonly string[]): boolean {
  return alternatives.length > 0 && alternatives.every(isRule)
}

export function isRule(word: string): boolean {
  return word.startsWith('rule:')
}

function toRule(word: string): string[] {
  return isRule(word) ? [word.slice('rule:'.length)] : []
}

function toRole(word: string): string[] {
  return word.startsWith('role:') ? [word.slice('role:'.length)] : []
}

// As an expression in the routes: `'owner'`, `any('owner', 'admin')`, `editors`; in an organization
// `member`, `all(member, 'owner')`.
export function toAccessCode(alternatives: readonly string[], inTenant: boolean): string {
  if (inTenant && alternatives.includes('user')) return 'member'
  const parts = alternatives.map((word) => toRule(word)[0] ?? quoted(toRole(word)[0] ?? word))
  const code = parts.length > 1 ? `any(${parts.join(', ')})` : parts.join('')
  return inTenant ? `all(member, ${code})` : code
}

// In listings: `owner|role:admin`; in an organization `member`, `member and owner|role:admin`.
export function toAccessName(text: string, inTenant: boolean): string {
  if (!inTenant) return text
  return text === 'user' ? 'member' : `member and ${text}`
}
