import { type Note } from '../terminal/reporter.ts'

// Source of a function `(api) => roles`: those that the application defines, and those that its routes require.
export const readKnownRoles = `({ config, routes }) => [
  ...Object.keys(config.auth?.roles?.permissions ?? {}),
  ...routes.flatMap(({ route }) => route.access.scopes ?? route.access),
]`

// A role that is not defined anywhere can be a typing error.
export function warnOfRoles(roles: readonly string[], known: readonly string[]): readonly Note[] {
  return roles
    .filter((role) => role !== 'admin' && !known.includes(role))
    .map((role) => {
      const message = `no route requires the role ${role}`
      return { kind: 'warning', code: 'UNKNOWN_ROLE', message }
    })
}
