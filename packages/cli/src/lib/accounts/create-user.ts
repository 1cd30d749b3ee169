import { CliError } from '../errors.ts'
import { runInApp } from '../inspect/run-in-app.ts'
import { findProjectRoot, readProject } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { askText } from '../terminal/prompts.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'
import { readPassword } from './read-password.ts'
import { apiCommand } from '../terminal/api-command.ts'

/** Options of `api users create`. */
export interface CreateUserOptions {
  /** Address; asked for in a terminal. */
  readonly email?: string | undefined
  /** What the user may do. */
  readonly role: string
  /** Whether the password comes on standard input. */
  readonly passwordStdin?: boolean | undefined
  /** The application's own fields, `name=value`. */
  readonly field?: readonly string[] | undefined
}

interface CreatedUser {
  readonly id: string
  readonly email: string
  readonly role: string
}

type Answer =
  | { readonly user: CreatedUser; readonly roles: readonly string[]; readonly failure?: undefined }
  | { readonly user?: undefined; readonly failure: Failure }

interface Failure {
  readonly code?: string
  readonly message: string
  readonly problems: readonly string[]
}

const script = `async (api, input) => {
  const { auth, routes } = api
  if (auth === undefined) return { failure: { code: 'auth_off', message: '', problems: [] } }
  try {
    const { withDatabase } = await import('@create-api/core')
    const { id, email, role } = await withDatabase(api, async () => {
      await auth.init()
      const user = await auth.createUser(input)
      await auth.stop()
      return user
    })
    return { user: { id, email, role }, roles: routes.map(({ route }) => route.access) }
  } catch (error) {
    const { code, errors = [], issues = [], message } = error
    const problems = [
      ...issues.map(({ path, message }) => [...path.slice(0, 1), message].join(' ')),
      ...errors.map(({ detail, pointer }) => pointer.replace('#/', '') + ' ' + detail),
    ]
    return { failure: { code, message, problems } }
  }
}`

/**
 * Makes a user of any role, by the application's own rules and in its own database.
 *
 * @param options who
 * @param context the world
 * @returns the user
 * @throws CliError `USAGE` when the input is not accepted, `CONFLICT` when the address is taken,
 * `PROBLEMS_FOUND` when the application or its database does not work
 */
export async function createUser(
  options: CreateUserOptions,
  context: CommandContext,
): Promise<Outcome> {
  const project = readProject(findProjectRoot(context.cwd))
  const fields = parseFields(options.field ?? [])
  const email = options.email ?? (await askEmail(context))
  const password = await readPassword(options.passwordStdin === true, context)
  const input = { email, password, role: options.role, fields }
  const { env } = context.terminal
  const answer = await runInApp<Answer>(project, script, { env, input })
  if (answer.failure) throw toError(answer.failure, email)
  const { roles, user } = answer
  return {
    json: { command: 'users create', user },
    lines: ['', `  create     ${user.email}  role ${user.role}, id ${user.id}`, ''],
    notes: warnOfRole(user.role, roles),
  }
}

async function askEmail({ interactive }: CommandContext): Promise<string> {
  if (interactive) return askText('E-mail address', 'admin@example.com')
  throw new CliError('USAGE', 'whose account? --email is missing', {
    hint: `${apiCommand} users create --email ada@example.com --role admin --password-stdin`,
  })
}

// `age=42` is a number and `name=Ada` a text; a text that looks like JSON is quoted: `code="42"`.
function parseFields(pairs: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new CliError('USAGE', `--field ${pair} is not name=value`)
      return [pair.slice(0, at), parseValue(pair.slice(at + 1))]
    }),
  )
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function toError({ code, message, problems }: Failure, email: string): CliError {
  const details = problems.map((problem) => `  ${problem}`)
  if (code === 'auth_off') {
    return new CliError('PROBLEMS_FOUND', 'authentication is switched off (auth: false)')
  }
  if (code === 'email_taken') return new CliError('CONFLICT', `${email} is registered already`)
  if (problems.length > 0) return new CliError('USAGE', 'the user was refused', { details })
  return new CliError('PROBLEMS_FOUND', 'the user could not be made', { details: [`  ${message}`] })
}

function warnOfRole(role: string, known: readonly string[]): readonly Note[] {
  if (['user', 'admin', ...known].includes(role)) return []
  const message = `no route asks for the role ${role}`
  return [{ kind: 'warning', code: 'UNKNOWN_ROLE', message }]
}
