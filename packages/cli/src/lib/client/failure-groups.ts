import { type ClientOperation } from './read-operations.ts'
import { isIdempotent, type WrittenMethod } from './write-method.ts'

interface Kind {
  readonly name: string
  readonly comment: string
  readonly includes: (operation: ClientOperation) => boolean
}

const kinds: readonly Kind[] = [
  { name: 'CommonFailure', comment: 'Any call can fail with these.', includes: () => true },
  {
    name: 'AuthenticationFailure',
    comment: 'Any call that requires authentication can also fail with these.',
    includes: ({ requiresAuthentication }) => requiresAuthentication,
  },
  {
    name: 'PathFailure',
    comment: 'Any call with a parameter in its path can also fail with these.',
    includes: ({ parameters }) => parameters.some((one) => one['in'] === 'path'),
  },
  {
    name: 'BodyFailure',
    comment: 'Any call with a body can also fail with these.',
    includes: ({ definition }) => definition['requestBody'] !== undefined,
  },
  {
    name: 'IdempotencyFailure',
    comment: 'Any call with an idempotency key can also fail with these.',
    includes: isIdempotent,
  },
]

interface Group {
  readonly name: string
  readonly comment: string
  readonly failures: readonly string[]
}

// The types of the failures: those that all operations of a kind have are named once.
export function writeFailures(methods: readonly WrittenMethod[]): readonly string[] {
  const groups = findGroups(methods)
  const named = groups.map(
    ({ comment, failures, name }) =>
      `/** ${comment} */\nexport type ${name} = ${failures.join(' | ')}`,
  )
  const own = methods.map(
    ({ failureName, failures }) =>
      `export type ${failureName} = ${toParts(failures, groups).join(' | ') || 'never'}`,
  )
  return [...named, own.join('\n')]
}

// A group has a name if that shortens at least two operations. Groups are disjoint, because editors show a union by the
// names of its parts only then.
function findGroups(methods: readonly WrittenMethod[]): readonly Group[] {
  const groups: Group[] = []
  for (const { comment, includes, name } of kinds) {
    const [first, ...others] = methods.filter(({ operation }) => includes(operation))
    const failures = (first?.failures ?? []).filter(
      (one) =>
        others.every((method) => method.failures.includes(one)) &&
        !groups.some((group) => group.failures.includes(one)),
    )
    if (others.length > 0 && failures.length > 1) groups.push({ name, comment, failures })
  }
  return groups
}

function toParts(failures: readonly string[], groups: readonly Group[]): readonly string[] {
  const chosen = groups.filter((group) => group.failures.every((one) => failures.includes(one)))
  const named = new Set(chosen.flatMap((group) => group.failures))
  return [...chosen.map(({ name }) => name), ...failures.filter((one) => !named.has(one))]
}
