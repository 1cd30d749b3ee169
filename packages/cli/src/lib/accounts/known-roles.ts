import { type Note, toWarning } from '../terminal/reporter.ts'

// Source of a function `(api) => roles`: those that the application defines, and the words in the accesses of
// its routes (`owner or role editor`).
export const readKnownRoles = `({ config, routes }) => [
  ...Object.keys(config.auth?.roles?.permissions ?? {}),
  ...routes.flatMap(({ route }) => (route.access.name ?? route.access).split(/[^\\w-]+/)),
]`

// A role that appears nowhere can be a typing error.
export function warnOfRoles(roles: readonly string[], known: readonly string[]): readonly Note[] {
  return roles
    .filter((role) => role !== 'admin' && !known.includes(role))
    .map((role) => toWarning('UNKNOWN_ROLE', `no route requires the role ${role}`))
}
