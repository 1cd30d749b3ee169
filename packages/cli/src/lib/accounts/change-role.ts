import { CliError } from '../errors/cli-error.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { readKnownRoles, warnOfRoles } from './known-roles.ts'
import { type AuthFailure, runWithAuth, toAuthError } from './run-with-auth.ts'

export interface RoleChange {
  readonly action: 'grant' | 'revoke'
  readonly email: string
  readonly role: string
}

interface Changed {
  /** Undefined when there is no such user. */
  readonly user?: { readonly id: string; readonly email: string; readonly roles: readonly string[] }
  /** False when the user had the role before, or did not have it. */
  readonly changed: boolean
  readonly known: readonly string[]
  /** Database that was searched, without credentials. */
  readonly database: string
}

const script = `async (api, { action, email, role }) => {
  const { users } = api.auth
  const database = api.config.database.uri.replace(/\\/\\/[^@/]*@/, '//').replace(/[?].*/, '')
  const before = await users.findByEmail(email)
  const after = before && (await users[action + 'Role'](before.id, role))
  if (!after) return { database, changed: false, known: [] }
  const changed = before.roles.includes(role) !== after.roles.includes(role)
  const known = (${readKnownRoles})(api)
  return { database, changed, known, user: { id: after.id, email: after.email, roles: after.roles } }
}`

// By the application's own rules, in its database.
export async function changeRole(change: RoleChange, context: CommandContext): Promise<Outcome> {
  const { changed, database, known, user } = await runWithAuth<Changed>(script, change, {
    context,
    toError: (failure) => toError(failure, change),
  })
  if (!user) throw unknownUser(change, database)
  const { action, role } = change
  const word = changed ? action : 'unchanged'
  const roles = user.roles.length > 0 ? `roles ${user.roles.join(', ')}` : 'no roles'
  return {
    json: { command: `users ${action}`, user, role, changed },
    lines: ['', `  ${word.padEnd(9)}  ${role}  ${user.email}: ${roles}`, ''],
    notes: action === 'grant' ? warnOfRoles([role], known) : [],
  }
}

function unknownUser({ email }: RoleChange, database: string): CliError {
  return new CliError('USAGE', `there is no user ${email}`, {
    details: [`  database: ${database}`],
    hint: `set MONGODB_URI if the user is in another database, or create the user: ${apiCommand} users create --email ${quoteForShell(email)}`,
  })
}

function toError(failure: AuthFailure, { email, role }: RoleChange): CliError {
  if (failure.code === 'last_administrator') {
    return new CliError('CONFLICT', `${email} is the last administrator`, {
      hint: `first give another user the role: ${apiCommand} users grant <email> ${quoteForShell(role)}`,
    })
  }
  return toAuthError(failure, {
    rejected: `${email} was not changed`,
    failed: 'the role could not be changed',
    hint: 'auth.roles in createApi() defines the roles',
  })
}
