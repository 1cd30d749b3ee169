import { CliError } from '../errors/cli-error.ts'
import { findProjectRoot } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { readStdin } from '../terminal/terminal.ts'
import { askPassword, askText } from '../terminal/prompts.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { readKnownRoles, warnOfRoles } from './known-roles.ts'
import { type AuthFailure, runWithAuth, toAuthError } from './run-with-auth.ts'

export interface CreateUserOptions {
  /** Prompted for in a terminal. */
  readonly email?: string | undefined
  /** Roles; an ordinary user has none. */
  readonly role?: readonly string[] | undefined
  readonly passwordStdin?: boolean | undefined
  /** Custom fields of the application, `name=value`. */
  readonly field?: readonly string[] | undefined
}

interface CreatedUser {
  readonly id: string
  readonly email: string
  readonly roles: readonly string[]
}

interface Created {
  readonly user: CreatedUser
  readonly known: readonly string[]
}

const script = `async (api, input) => {
  const { id, email, roles } = await api.auth.createUser(input)
  return { user: { id, email, roles }, known: (${readKnownRoles})(api) }
}`

// Applies the application's own rules and uses its database.
export async function createUser(
  options: CreateUserOptions,
  context: CommandContext,
): Promise<Outcome> {
  findProjectRoot(context.cwd)
  const fields = parseFields(options.field ?? [])
  const email = options.email ?? (await askEmail(context))
  const password = await readPassword(options.passwordStdin === true, context)
  const input = { email, password, roles: options.role ?? [], fields }
  const { known, user } = await runWithAuth<Created>(script, input, {
    context,
    toError: (failure) => describeRejection(failure, email),
  })
  const roles = user.roles.length > 0 ? `roles ${user.roles.join(', ')}, ` : ''
  return {
    json: { command: 'users create', user },
    lines: ['', `  create     ${user.email}  ${roles}id ${user.id}`, ''],
    notes: warnOfRoles(user.roles, known),
  }
}

async function askEmail({ interactive }: CommandContext): Promise<string> {
  if (interactive) return askText('E-mail address', 'admin@example.com')
  throw new CliError('USAGE', '--email is missing', {
    hint: `${apiCommand} users create --email ada@example.com --role admin --password-stdin`,
  })
}

// From standard input or a prompt, never from the arguments: every process of the machine can see those,
// and the shell stores them.
async function readPassword(fromStdin: boolean, context: CommandContext): Promise<string> {
  if (fromStdin) return readAll(context)
  if (context.interactive) return askTwice()
  throw new CliError('USAGE', 'the password is missing and there is no terminal to prompt for it', {
    hint: 'pass it on standard input: --password-stdin < file',
  })
}

async function readAll({ terminal }: CommandContext): Promise<string> {
  // The final newline comes from echo, not from the password.
  const password = (await readStdin(terminal)).replace(/\r?\n$/, '')
  if (password !== '') return password
  throw new CliError('USAGE', 'the password on standard input is empty')
}

async function askTwice(): Promise<string> {
  const password = await askPassword('Password')
  if ((await askPassword('Repeat the password')) === password) return password
  throw new CliError('USAGE', 'the passwords differ; nothing was done')
}

// `age=42` is a number and `name=Ada` a string; quote a string that looks like JSON: `code='"42"'`.
export function parseFields(pairs: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new CliError('USAGE', `--field ${pair} is not name=value`)
      return [pair.slice(0, at), parseValue(pair.slice(at + 1))]
    }),
  )
}

// Text that is not JSON stays text.
export function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

// The error for a user whom the application rejected or could not create.
export function describeRejection(failure: AuthFailure, email: string): CliError {
  if (failure.code === 'email_taken') {
    return new CliError('CONFLICT', `${email} is already registered`)
  }
  return toAuthError(failure, {
    rejected: 'the user was rejected',
    failed: 'the user could not be created',
    hint: 'set a custom field of the user: --field name=value',
  })
}
