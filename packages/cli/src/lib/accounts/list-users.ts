import { CliError } from '../errors/cli-error.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { runWithAuth } from './run-with-auth.ts'

export interface ListUsersOptions {
  readonly role?: string
  readonly limit: number
  /** E-mail address of the last user of the page before. */
  readonly after?: string
}

interface ListedUser {
  readonly id: string
  readonly email: string
  readonly roles: readonly string[]
  readonly disabled: boolean
  readonly emailVerified: boolean
  readonly createdAt: string
}

// Without the fields of the application, which can be private. One user more shows whether there is another page.
const script = `async ({ auth }, { limit, ...options }) => {
  const users = await auth.users.list({ ...options, limit: limit + 1 })
  return users.map(({ id, email, roles, disabled, emailVerified, createdAt }) =>
    ({ id, email, roles, disabled, emailVerified, createdAt }))
}`

export async function listUsers(
  { after, limit, role }: ListUsersOptions,
  context: CommandContext,
): Promise<Outcome> {
  const input = { limit, role, after: after?.toLowerCase() }
  const found = await runWithAuth<readonly ListedUser[]>(script, input, {
    context,
    toError: ({ message }) =>
      new CliError('PROBLEMS_FOUND', 'the users could not be listed', {
        details: [`  ${message}`],
      }),
  })
  const users = found.slice(0, limit)
  const next = found.length > limit ? users.at(-1)?.email : undefined
  const filter = role === undefined ? '' : ` --role ${quoteForShell(role)}`
  return {
    json: { command: 'users list', users, next: next ?? null },
    lines: users.length === 0 ? [describeNone(role)] : users.map(formatUser),
    notes:
      next === undefined
        ? []
        : [
            {
              kind: 'next',
              message: `for more: ${apiCommand} users list${filter} --after ${quoteForShell(next)}`,
            },
          ],
  }
}

function describeNone(role: string | undefined): string {
  return role === undefined ? 'There are no users.' : `No user has the role ${role}.`
}

function formatUser({ createdAt, disabled, email, id, roles }: ListedUser): string {
  const state = disabled ? '  disabled' : ''
  return `${id}  ${email}  [${roles.join(' ')}]  since ${createdAt.slice(0, 10)}${state}`
}
